// The person's home folder.
import { homedir } from 'node:os';

/** Absolute. The environment wins, as it does for the agents. */
export const homeOf = (env: NodeJS.ProcessEnv): string => env['HOME'] || env['USERPROFILE'] || homedir();
