// Which tools are worth a process. Agents differ in whether a matcher is a list of names or a pattern, and in whether a
// pattern has to match the whole name; this text means the same to all that read patterns.

/** Tools of file servers that agents are given beside their own. */
const fileServer = '.*(write_file|edit_file|move_file|create_directory)';

export const toolPattern = (...names: readonly string[]) => `^(${[...names, fileServer].join('|')})$`;
