// The one entry that VS Code calls: runs every suite beside it, in the extension host.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';

export async function run(): Promise<void> {
  // What carries the output out of the host takes no format strings.
  Mocha.reporters.Base.consoleLog = (...args: unknown[]) => console.log(format(...args));
  const mocha = new Mocha({ ui: 'bdd', timeout: 30_000, slow: 2000, color: false, forbidOnly: true });
  const only = process.env['AGENT_CHECKPOINTS_SUITE'];
  const suites = readdirSync(__dirname)
    .filter((name) => name.endsWith('.test.js') && (only === undefined || name.includes(only)))
    // What a fresh window does can only be seen before anything else happened in it.
    .sort((a, b) => Number(b.startsWith('fresh')) - Number(a.startsWith('fresh')) || a.localeCompare(b));
  for (const name of suites) mocha.addFile(path.join(__dirname, name));
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  if (failures > 0) throw new Error(`${failures} tests of the extension failed.`);
}
