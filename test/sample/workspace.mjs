// The sample workspace of `npm start`: a small shop, with a CRLF file and a picture among its files.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const logo = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAYAAABzenr0AAAAeUlEQVR42u2XwQ3AIAwDGYphGLz7tBOAEuw0BsUSX+4+EKe1ijPP' +
    '6O/qpIHDRLxgqggKhyRY8C0JNtwlEQU3S1gumQUWQOAUCRRulQiFb0sw4RaJEiiBswR+eYbpH5HEV5w+jCTGcXohkahkEqVUopZL' +
    'LCYyq9m1+QAJ4rCfdfzsOgAAAABJRU5ErkJggg==',
  'base64',
);

export const files = {
  'README.md': '# Corner shop\n\nA tiny price list, to try undo on.\n\nRun `node src/index.ts`.\n',
  'src/cart.ts': `import { priceOf } from './prices';

export interface Line {
  readonly item: string;
  readonly count: number;
}

/** The total of a cart, in cents. */
export function total(lines: readonly Line[]): number {
  let sum = 0;
  for (const line of lines) {
    sum += priceOf(line.item) * line.count;
  }
  return sum;
}

export function describe(lines: readonly Line[]): string {
  return lines.map((line) => line.count + ' x ' + line.item).join(', ');
}
`,
  'src/prices.ts': `const prices: Record<string, number> = {
  apple: 40,
  bread: 320,
  milk: 119,
};

export function priceOf(item: string): number {
  return prices[item];
}
`,
  'src/index.ts': `import { describe, total } from './cart';

const lines = [
  { item: 'apple', count: 6 },
  { item: 'bread', count: 1 },
];

console.log(describe(lines), total(lines));
`,
  'data/stock list.csv': 'item,stock\r\napple,120\r\nbread,14\r\nmilk,33\r\n',
  'assets/logo.png': logo,
};

/** Writes the workspace anew. */
export function writeWorkspace(folder) {
  rmSync(folder, { recursive: true, force: true });
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}
