// Runs the benchmarks one after the other, each in a process of its own; fails where a budget is broken.
// Usage: node test/bench/run.mjs [name…]
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

const folder = 'out/test/bench';
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.js') && name !== 'side.js')
  .map((name) => name.replace(/\.js$/, ''));
const wanted = process.argv.slice(2);
let failed = false;
for (const name of names.filter((each) => wanted.length === 0 || wanted.includes(each))) {
  failed = spawnSync(process.execPath, [`${folder}/${name}.js`], { stdio: 'inherit' }).status !== 0 || failed;
}
process.exitCode = failed ? 1 : 0;
