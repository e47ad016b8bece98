// What the scripted agents of the sample do, turn by turn. Each call is the tool input that the real agent sends.

export const turns = (root) => [
  {
    agent: 'claude-code',
    session: '5b1f7c1e-3d0a-4c55-9a57-2f6b0c0f4a11',
    prompt: 'Fail with a clear message when an item has no price',
    calls: [
      {
        tool: 'Edit',
        input: {
          file_path: `${root}/src/prices.ts`,
          old_string: '  return prices[item];\n',
          new_string:
            "  const price = prices[item];\n  if (price === undefined) {\n    throw new Error('No price for ' + item);\n  }\n  return price;\n",
        },
      },
      {
        tool: 'Write',
        input: {
          file_path: `${root}/test/prices.test.ts`,
          content:
            "import assert from 'node:assert/strict';\nimport test from 'node:test';\nimport { priceOf } from '../src/prices';\n\ntest('an unknown item has no price', () => {\n  assert.throws(() => priceOf('unicorn'), /No price for unicorn/);\n});\n",
        },
      },
    ],
  },
  {
    agent: 'claude-code',
    session: '5b1f7c1e-3d0a-4c55-9a57-2f6b0c0f4a11',
    prompt: 'Use reduce in the cart, and add milk to the stock list',
    calls: [
      {
        tool: 'Edit',
        input: {
          file_path: `${root}/src/cart.ts`,
          old_string:
            '  let sum = 0;\n  for (const line of lines) {\n    sum += priceOf(line.item) * line.count;\n  }\n  return sum;\n',
          new_string: '  return lines.reduce((sum, line) => sum + priceOf(line.item) * line.count, 0);\n',
        },
      },
      {
        tool: 'Edit',
        input: {
          file_path: `${root}/src/cart.ts`,
          old_string: "line.count + ' x ' + line.item",
          new_string: '`${line.count} × ${line.item}`',
        },
      },
      {
        tool: 'Edit',
        input: {
          file_path: `${root}/data/stock list.csv`,
          old_string: 'milk,33\r\n',
          new_string: 'milk,48\r\noats,20\r\n',
        },
      },
    ],
  },
  {
    agent: 'vscode',
    session: '0c6c1a8e-77a2-4a53-8d0e-6f1f5d1f9b20',
    prompt: 'Tidy up: drop the old logo and say how to run the tests',
    calls: [
      {
        tool: 'apply_patch',
        input: {
          explanation: 'Remove the logo',
          input: `*** Begin Patch\n*** Delete File: ${root}/assets/logo.png\n*** End Patch\n`,
        },
      },
      {
        tool: 'replace_string_in_file',
        input: {
          filePath: `${root}/README.md`,
          oldString: 'Run `node src/index.ts`.\n',
          newString: 'Run `node src/index.ts`, and the tests with `node --test`.\n',
        },
      },
      {
        tool: 'create_file',
        input: {
          filePath: `${root}/src/discount.ts`,
          content:
            '/** Takes a percentage off a total in cents. */\nexport function discounted(total: number, percent: number): number {\n  return Math.round(total * (1 - percent / 100));\n}\n',
        },
      },
    ],
  },
];
