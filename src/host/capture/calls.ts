// The exported API's side of capture: from its calls to the observer's.
import * as vscode from 'vscode';
import { createObserver } from '../../core/capture/observer';
import type { PathWrite, WriteObserver, WriteRequest } from '../../core/capture/request';
import { beginTurn } from '../../core/capture/turns';
import type { Ports } from '../../core/ports';
import { findCheckpoint } from '../../core/store/reader';
import { parseCheckpointId } from '../../core/store/ids';
import { displayPath } from '../../core/restore/relativePath';
import { rootStores } from '../../core/store/stores';
import type { AgentIdentity, CallReference, CaptureReport, WriteCall } from '../api';
import { setting } from '../contributions';
import { encodedText } from '../editors';

/** A path of a call, before its unsaved text is known. */
export interface CallPath {
  readonly uri: vscode.Uri;
  readonly renamedFrom?: vscode.Uri;
  /** It is known to be gone afterwards. */
  readonly removed?: boolean;
}

export class Calls {
  readonly #observer: WriteObserver;

  constructor(private readonly ports: Ports) {
    this.#observer = createObserver(ports);
  }

  get enabled(): boolean {
    return setting(vscode.workspace, 'agentCheckpoints.enabled');
  }

  async before(call: Omit<WriteCall, 'files'>, paths: readonly CallPath[]): Promise<CaptureReport> {
    const own = paths.filter(({ uri }) => uri.scheme === 'file');
    const request = requestOf(call, await writesOf(own));
    if (call.turn !== undefined || call.prompt !== undefined) {
      const { prompt } = call;
      beginTurn(this.ports, { agent: request.agent!, cwd: request.cwd, ...(prompt !== undefined && { prompt }) });
    }
    const { checkpoints } = this.#observer.beforeWrite(request);
    const elsewhere = paths
      .filter(({ uri }) => uri.scheme !== 'file')
      .map(({ uri }) => ({ file: uri, reason: `only files on a disk are covered, not ${uri.scheme}:` }));
    return {
      checkpoints: checkpoints.map(({ id }) => id),
      notCovered: [...elsewhere, ...checkpoints.flatMap(({ root, id }) => this.#notCovered(root, id))],
    };
  }

  /** With the texts that editors hold now, where those are not saved. */
  async after(call: CallReference, paths: readonly CallPath[]): Promise<void> {
    const own = paths.filter(({ uri }) => uri.scheme === 'file');
    this.#observer.afterWrite(requestOf(call, await writesOf(own)));
  }

  abandon(call: CallReference): void {
    this.#observer.abandon(
      requestOf(
        call,
        call.files.map((uri) => ({ path: uri.fsPath })),
      ),
    );
  }

  #notCovered(root: string, id: string): CaptureReport['notCovered'] {
    try {
      const { meta } = findCheckpoint(this.ports, rootStores(this.ports, root), parseCheckpointId(id));
      return meta.notCovered.flatMap(({ path, reason }) =>
        path === undefined ? [] : [{ file: vscode.Uri.joinPath(vscode.Uri.file(root), displayPath(path)), reason }],
      );
    } catch {
      return [];
    }
  }
}

async function writesOf(paths: readonly CallPath[]): Promise<PathWrite[]> {
  return await Promise.all(
    paths.map(async ({ uri, renamedFrom, removed }): Promise<PathWrite> => {
      const unsaved = await encodedText(uri);
      return {
        path: uri.fsPath,
        ...(unsaved && { unsaved }),
        ...(renamedFrom && { renamedFrom: renamedFrom.fsPath }),
        ...(removed && { expected: { type: 'absent' as const } }),
      };
    }),
  );
}

function requestOf(call: AgentIdentity & { readonly call: string }, writes: readonly PathWrite[]): WriteRequest {
  const { agent, session, turn, tool, label } = call;
  const first = writes[0] && vscode.workspace.getWorkspaceFolder(vscode.Uri.file(writes[0].path));
  const cwd = (first ?? vscode.workspace.workspaceFolders?.[0])?.uri.fsPath ?? process.cwd();
  return {
    kind: 'edit',
    cwd,
    writes,
    agent: {
      name: agent,
      session,
      toolUse: call.call,
      ...(turn !== undefined && { turn }),
      ...(tool !== undefined && { tool }),
    },
    ...(label !== undefined && { label }),
  };
}

/** @throws TypeError where an argument is not of the promised form */
export function checkIdentity(info: unknown): asserts info is AgentIdentity {
  const fields = typeof info === 'object' && info !== null ? (info as Record<string, unknown>) : {};
  for (const name of ['agent', 'session']) {
    if (typeof fields[name] !== 'string' || fields[name] === '') throw new TypeError(`\`${name}\` must be a text.`);
  }
  for (const name of ['turn', 'prompt', 'tool', 'label']) {
    const value = fields[name];
    if (value !== undefined && typeof value !== 'string') throw new TypeError(`\`${name}\` must be a text or absent.`);
  }
}

/** @throws TypeError where an argument is not of the promised form */
export function checkCall(call: unknown): asserts call is WriteCall {
  checkIdentity(call);
  const { call: id, files } = call as Partial<WriteCall>;
  if (typeof id !== 'string' || id === '') throw new TypeError('`call` must be a text.');
  if (!Array.isArray(files) || !files.every((file) => file instanceof vscode.Uri)) {
    throw new TypeError('`files` must be a list of vscode.Uri.');
  }
}
