import fs from 'node:fs';
import type { Ports } from '../core/ports';
import { defaultStateDir } from '../core/state/stateDir';

/** The real world. */
export const nodePorts = (): Ports => ({ fs, now: Date.now, stateDir: defaultStateDir() });
