/** Why an operation failed. Code decides on the reason, never on the text. */
export type ErrorReason =
  | 'bad-id'
  | 'bad-argument'
  | 'not-found'
  | 'damaged'
  | 'foreign'
  | 'refused-path'
  | 'store-refused'
  | 'store-unwritable'
  | 'locked'
  | 'config-unreadable'
  | 'changed-meanwhile'
  | 'cancelled'
  | 'failed';

/** An error whose message is written for the person: what is wrong, and what to do about it. */
export class CheckpointError extends Error {
  readonly reason: ErrorReason;

  constructor(reason: ErrorReason, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'CheckpointError';
    this.reason = reason;
  }

  /** Bundles of the product have copies of this class, and throw them at each other. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const isOwn = Function.prototype[Symbol.hasInstance].call(this, value);
    if (isOwn || this !== CheckpointError) return isOwn;
    return value instanceof Error && value.name === 'CheckpointError' && 'reason' in value;
  }

  static is(error: unknown, reason?: ErrorReason): error is CheckpointError {
    return error instanceof CheckpointError && (reason === undefined || error.reason === reason);
  }
}

/** The system's error code (`ENOENT`, …) of a failed file call, or undefined. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Closes a switch over a union: a case that is forgotten does not compile. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value ${JSON.stringify(value)}`);
}
