// Random actions of agents and a person on a few paths, and restores of every kind. Plain data, so that they shrink.
import fc from 'fast-check';

const paths = ['a', 'b', 'c', 'd/x', 'd/y'] as const;
type Path = (typeof paths)[number];

export type Edit =
  | { readonly type: 'line'; readonly path: Path; readonly line: number }
  | { readonly type: 'whole' | 'delete' | 'mode' | 'link'; readonly path: Path }
  | { readonly type: 'rename'; readonly path: Path; readonly to: Path }
  | { readonly type: 'fileForFolder' };

export type Op =
  | { readonly type: 'agent'; readonly session: number; readonly newTurn: boolean; readonly edits: readonly Edit[] }
  | { readonly type: 'person'; readonly edit: Edit }
  | {
      readonly type: 'restore';
      readonly mode: 'checkpoint' | 'turn' | 'rewind' | 'session';
      readonly pick: number;
      readonly onConflict: 'refuse' | 'merge' | 'overwrite';
      readonly takeBack: boolean;
    }
  | { readonly type: 'undo' | 'redo' }
  | { readonly type: 'mark'; readonly path: Path };

const aPath = fc.constantFrom(...paths);
const anEdit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('line' as const), path: aPath, line: fc.nat(11) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('whole' as const), path: aPath }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('delete' as const), path: aPath }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('mode' as const), path: aPath }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('link' as const), path: aPath }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('rename' as const), path: aPath, to: aPath }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('fileForFolder' as const) }) },
);
export const anOp: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('agent' as const),
      session: fc.nat(1),
      newTurn: fc.boolean(),
      edits: fc.array(anEdit, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('person' as const), edit: anEdit }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('restore' as const),
      mode: fc.constantFrom('checkpoint' as const, 'turn' as const, 'rewind' as const, 'session' as const),
      pick: fc.nat(20),
      onConflict: fc.constantFrom('refuse' as const, 'refuse' as const, 'merge' as const, 'overwrite' as const),
      takeBack: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('undo' as const, 'redo' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('mark' as const), path: aPath }) },
);
