// diff: what a checkpoint changed, as patches.
import { displayPath } from '../../core/restore/relativePath';
import { parseCheckpointId } from '../../core/store/ids';
import type { Entry } from '../../core/store/meta';
import { diffCheckpoint, type Compared, type FileDiff } from '../../tools/diff';
import { stateText } from './changes';
import { numberedHunks } from './numberedHunks';
import { safeLine, safeLines, styleFor, type Style } from './screen';
import type { Verb } from './verb';

export const diff: Verb = {
  name: 'diff',
  usage: '<id> [path]',
  summary: 'what a checkpoint changed',
  details: [
    'Each path before against after. Where the state after is not known yet: against what is on disk now.',
    'For people, each change has a number: `restore <id> --mode hunk --file P --hunk N` takes that one back.',
    'JSON: {id, files: [{path, patch?, added, removed, binary}]}.',
  ],
  options: {},
  arguments: { min: 1, max: 2 },
  run(call) {
    const id = parseCheckpointId(call.positionals[0]!);
    const compared = diffCheckpoint(call.io.ports, call.root(), id, call.positionals[1]);
    for (const { entry, file } of compared.files) {
      if (entry.post === undefined)
        call.say(`${safeLine(file.path)}: the state after is not known; compared with what is on disk now.`);
    }
    const files = compared.files.map(({ file }) => file);
    return {
      json: { id: compared.id, files },
      human: () => text(compared.files, styleFor(call.io.stdout, call.io.env)),
    };
  },
};

function text(compared: readonly Compared[], style: Style): string {
  if (compared.length === 0) return 'This checkpoint has no files.';
  return compared
    .map(({ entry, file, hunks }) => {
      const found = hunks?.();
      const lines =
        (found && numberedHunks(found))?.map((line) => coloured(safeLine(line), style)) ?? body(entry, file, style);
      return [heading(entry, file, style), ...lines].join('\n');
    })
    .join('\n\n');
}

function heading({ pre, post, renamedFrom }: Entry, { path, added, removed, binary }: FileDiff, style: Style): string {
  const from = renamedFrom === undefined ? '' : ` (renamed from ${safeLine(displayPath(renamedFrom))})`;
  const mode =
    pre.type === 'file' && post?.type === 'file' && pre.mode !== post.mode
      ? `, mode ${pre.mode.toString(8)} to ${post.mode.toString(8)}`
      : '';
  return style('bold', `${safeLine(path)}${from}: ${binary ? 'binary' : `+${added} -${removed}`}${mode}`);
}

function body({ pre, post }: Entry, { patch }: FileDiff, style: Style): string[] {
  if (patch !== undefined)
    return safeLines(patch)
      .trimEnd()
      .split('\n')
      .map((line) => coloured(line, style));
  const after = post === undefined ? 'not known' : stateText(post);
  return [`  before: ${stateText(pre)}`, `  after:  ${after}`];
}

function coloured(line: string, style: Style): string {
  if (line.startsWith('@@')) return style('cyan', line);
  if (line.startsWith('+')) return style('green', line);
  return line.startsWith('-') ? style('red', line) : line;
}
