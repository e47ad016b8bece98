import fs from 'node:fs';
import { lazyGit } from '../core/capture/sweep/lazyGit';
import type { Ports } from '../core/ports';
import { fileAttributes } from '../core/restore/attributes';
import { flushFileSystem } from '../core/restore/flushFileSystem';
import { defaultStateDir } from '../core/state/stateDir';

/** The real world. */ export const nodePorts = (): Ports => ({
  fs,
  now: Date.now,
  stateDir: defaultStateDir(),
  git: lazyGit,
  hasAttributes: fileAttributes,
  flushFileSystem,
});
