// A process of its own that exchanges a folder for a link, again and again: node <this, bundled> <folder> <target> <ms>
// Prints how often; the folder is back in its place at the end.
import * as fs from 'node:fs';

const [folder = '', target = '', ms = '1000'] = process.argv.slice(2);
const [aside, link] = [`${folder}.aside`, `${folder}.link`];
const until = Date.now() + Number(ms);
let swaps = 0;
while (Date.now() < until) {
  try {
    fs.renameSync(folder, aside);
    fs.renameSync(link, folder);
    swaps++;
    // As long a link as a folder, and neither for long.
    for (let i = swaps % 50; i > 0; i--) fs.lstatSync(folder);
    fs.renameSync(folder, link);
    fs.renameSync(aside, folder);
    for (let i = swaps % 70; i > 0; i--) fs.lstatSync(folder);
  } catch {
    // Somebody made or removed something in the way: begin anew.
    mend();
  }
}
mend();
quietly(() => fs.rmSync(link, { force: true }));
process.stdout.write(String(swaps));

function mend(): void {
  if (kindOf(folder) === 'link') quietly(() => fs.unlinkSync(folder));
  if (kindOf(link) === undefined) quietly(() => fs.symlinkSync(target, link));
  if (kindOf(aside) !== 'folder') return;
  if (kindOf(folder) === 'folder') quietly(() => fs.rmSync(aside, { recursive: true }));
  else quietly(() => fs.renameSync(aside, folder));
}

function kindOf(file: string): 'link' | 'folder' | undefined {
  const found = fs.lstatSync(file, { throwIfNoEntry: false });
  return found === undefined ? undefined : found.isSymbolicLink() ? 'link' : 'folder';
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // The other process was faster.
  }
}
