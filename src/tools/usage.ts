/** What was asked cannot be understood: exit code 2 on the command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
