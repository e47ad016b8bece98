// What can become of a path that was changed since, or whose editor has unsaved text.
import * as vscode from 'vscode';
import type { MergeSides } from '../../core/restore/mergeSides';
import type { Pick as PickItem } from '../dialogs';
import type { PathRow } from './rows';

export type Answer = 'refuse' | 'merge' | 'overwrite' | 'leave' | 'compare' | 'save' | 'keepAll' | 'overwriteAll';

type Item = PickItem<Answer> | vscode.QuickPickItem;

/**
 * @param sides a text where the path cannot be merged
 * @param waiting paths of the plan that wait for a decision
 */
export function decideItems(row: PathRow, sides: MergeSides | string, waiting: number): Item[] {
  const compare = {
    label: '$(diff) Show the Difference',
    description: 'now against restored',
    value: 'compare' as const,
  };
  const save: Item[] = row.step.inEditor
    ? [{ label: '$(save) Save First', description: 'then it is looked at again', value: 'save' }]
    : [];
  if (row.group === 'change') {
    return [
      ...(row.checked
        ? [{ label: '$(circle-slash) Leave It Out', description: 'the editor stays as it is', value: 'leave' as const }]
        : [
            {
              label: '$(edit) Put It Into the Editor',
              description: 'as an edit that can be undone, not saved',
              value: 'refuse' as const,
            },
          ]),
      ...save,
      compare,
    ];
  }
  const overwrite = row.step.inEditor
    ? 'put the state before into the editor; undo takes it back'
    : 'put the state before there; what is there now is kept in a guard';
  return [
    { label: '$(account) Keep Mine', description: 'leave it as it is now', value: 'refuse' },
    ...(typeof sides === 'string'
      ? []
      : [
          {
            label: '$(git-merge) Merge',
            description: 'take the agent’s change out of what is there now',
            value: 'merge' as const,
          },
        ]),
    { label: '$(replace-all) Overwrite', description: overwrite, value: 'overwrite' },
    compare,
    ...save,
    ...(waiting > 1
      ? [
          { label: `All ${waiting} that were changed since`, kind: vscode.QuickPickItemKind.Separator },
          { label: '$(account) Keep All of Mine', value: 'keepAll' as const },
          { label: '$(replace-all) Overwrite All', description: 'guarded', value: 'overwriteAll' as const },
        ]
      : []),
  ];
}
