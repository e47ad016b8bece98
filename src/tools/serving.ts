// What the command line and the bundle of the server agree on.
import type { Ports } from '../core/ports';

export interface McpOptions {
  readonly ports: Ports;
  /** The real path of the root that is meant where a call names none. @throws UsageError */
  readonly root: () => string;
  /** A line for the log of whoever started the server; never on stdout. */
  readonly say: (line: string) => void;
}

export interface McpServing {
  /** Serves on the process's stdin and stdout until stdin ends. */
  readonly serve: (options: McpOptions) => Promise<void>;
}
