// What is to be taken back, and the plan of it as things are now.
import type * as vscode from 'vscode';
import { CheckpointError } from '../../core/errors';
import type { Ports } from '../../core/ports';
import type { MergeSides } from '../../core/restore/mergeSides';
import { displayPath } from '../../core/restore/relativePath';
import type { Decisions, OnConflict, PlanStep, RestorePlan } from '../../core/restore/types';
import { encoded, unsavedDocuments, unsavedNotebooks } from '../editors';
import type { Registration } from '../observe/registration';
import type { HostRoot, WorkspaceRoots } from '../workspaceRoots';
import { actsOn } from './planText';

export interface PlanOptions {
  readonly onConflict: OnConflict;
  readonly decisions?: Decisions;
  readonly foreign?: boolean;
  readonly unsaved?: ReadonlyMap<string, Uint8Array>;
}

/** Loaded with the first restore: nothing of it is needed to start. */
export const restoring = () => import('../../core/restore/restore');

export interface Request {
  readonly root: HostRoot;
  /** Names it in questions: what is taken back. */
  readonly what: string;
  make(restore: Awaited<ReturnType<typeof restoring>>, options: PlanOptions): RestorePlan;
  /** One change that the person sees: nothing is asked, and what stands in the way is told. */
  readonly small?: true;
}

export interface Planned {
  readonly plan: RestorePlan;
  /** The editors with unsaved text, by displayed path. */
  readonly documents: ReadonlyMap<string, vscode.TextDocument>;
  /** Their text as bytes. */
  readonly unsaved: ReadonlyMap<string, Uint8Array>;
}

export class Planner {
  constructor(
    private readonly ports: Ports,
    private readonly roots: WorkspaceRoots,
    private readonly registration: Registration,
  ) {}

  /** `foreign` where the checkpoint is a stranger's and the person has not been asked. */
  async plan({ root, make }: Request, options: Omit<PlanOptions, 'unsaved'>): Promise<Planned | 'foreign'> {
    // An editor that was just saved must not look like one of another window.
    this.registration.flush();
    const documents = unsavedDocuments(this.roots, root);
    const unsaved = await textsOf(documents);
    const notebooks = new Set(unsavedNotebooks(this.roots, root));
    try {
      const plan = make(await restoring(), { ...options, unsaved });
      return { plan: withoutNotebooks(plan, notebooks), documents, unsaved };
    } catch (error) {
      if (CheckpointError.is(error, 'foreign') && !options.foreign) return 'foreign';
      throw error;
    }
  }

  /** Both sides of a path, for merging by hand; a text says why it cannot be merged. */
  async sides(root: HostRoot, step: PlanStep, foreign: boolean): Promise<MergeSides | string> {
    const { mergeSides } = await restoring();
    const unsaved = await textsOf(unsavedDocuments(this.roots, root));
    return mergeSides(this.ports, root.path, step, { foreign, unsaved });
  }
}

async function textsOf(documents: ReadonlyMap<string, vscode.TextDocument>): Promise<Map<string, Uint8Array>> {
  const texts = new Map<string, Uint8Array>();
  for (const [path, document] of documents) texts.set(path, await encoded(document));
  return texts;
}

/** The bytes of a notebook with unsaved changes are not to be had: it is left alone. */
function withoutNotebooks(plan: RestorePlan, notebooks: ReadonlySet<string>): RestorePlan {
  const steps = plan.steps.map((step): PlanStep => {
    if (!notebooks.has(displayPath(step.path)) || !actsOn(step)) return step;
    const { merged: _merged, blobOf: _blob, ...rest } = step;
    const reason = 'the notebook has unsaved changes: save or close it first';
    return { ...rest, action: 'conflict', reason, result: step.current };
  });
  return { ...plan, steps };
}

/** @throws CheckpointError `failed` */
export async function saveAll(documents: ReadonlyMap<string, vscode.TextDocument>, paths: readonly string[]) {
  const failed: string[] = [];
  for (const path of paths) if (documents.has(path) && !(await documents.get(path)!.save())) failed.push(path);
  if (failed.length === 0) return;
  const files = failed.length === 1 ? '1 file' : `${failed.length} files`;
  throw new CheckpointError('failed', `${files} could not be saved: ${failed.join(', ')}.`);
}
