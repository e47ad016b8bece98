// A client of the Model Context Protocol that starts the built program, as agents do.
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { builtCli } from './cliBundle';
import type { CliWorkspace } from './cliRunner';

export interface Answer {
  readonly texts: readonly string[];
  /** The last text, which is JSON in every answer that is no error. */
  readonly json: any; // eslint-disable-line @typescript-eslint/no-explicit-any
  readonly isError: boolean;
}

const clients: Client[] = [];

export async function connected({ root, ports }: CliWorkspace, cwd = root) {
  const client = new Client({ name: 'test', version: '1' });
  const said: string[] = [];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [builtCli(), 'mcp'],
    cwd,
    env: { ...getDefaultEnvironment(), AGENT_CHECKPOINTS_HOME: ports.stateDir, HOME: path.dirname(root) },
    stderr: 'pipe',
  });
  transport.stderr?.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const noise: Error[] = [];
  client.onerror = (error) => noise.push(error);
  await client.connect(transport);
  clients.push(client);
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<Answer> => {
    const result = await client.callTool({ name, arguments: args });
    const texts = (result.content as { text: string }[]).map(({ text }) => text);
    const isError = result.isError === true;
    return { texts, isError, json: isError ? undefined : JSON.parse(texts.at(-1)!) };
  };
  return { client, call, said, noise };
}

export async function disconnectAll(): Promise<void> {
  for (const client of clients.splice(0)) await client.close();
}
