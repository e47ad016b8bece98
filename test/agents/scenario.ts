// What every agent does in the tests: all kinds of writes of edit tools and of a shell, in two turns, with a person's
// writes in between.
import * as fs from 'node:fs';
import type { AgentRun, Workspace } from './agentRun';
import { movingPatch } from './patches';
import { turnsOf } from './programs';

/** A repository with two branches, work that is not committed, and files that Git ignores. */
export function prepare(space: Workspace): void {
  space.write('README.md', '# First\n\nHello.\n');
  space.write('src/a.txt', 'alpha one\nalpha two\nalpha three\nalpha four\n');
  space.write('src/b.txt', 'x one\nx two\n');
  space.write('src/crlf.txt', '\ufeffone\r\ntwo\r\n');
  space.write('src/other.bin', Buffer.from([0, 255, 13, 10]));
  space.write('docs/guide.md', 'the guide\n');
  space.write('docs/old/page.md', 'an old page\n');
  space.write('run.sh', '#!/bin/sh\nexit 0\n', 0o755);
  space.write('.gitignore', 'build/\ncache/\n.env\n.system_generated/\n');
  fs.symlinkSync('docs/guide.md', space.at('latest'));
  space.git('init', '-q', '-b', 'main');
  space.git('add', '.');
  space.git('commit', '-qm', 'first');
  space.git('checkout', '-qb', 'other');
  space.write('docs/guide.md', 'another guide\n');
  space.write('docs/added.md', 'only here\n');
  space.git('rm', '-q', 'docs/old/page.md');
  space.git('add', '.');
  space.git('commit', '-qm', 'other');
  space.git('checkout', '-q', 'main');
  space.write('src/other.bin', Buffer.from([0, 254, 13, 10]));
  space.write('notes.txt', 'not in Git\n');
  space.write('.env', 'KEY=person\n');
  space.write('cache/kept.bin', 'ignored by Git\n');
}

const heredoc = `cat > src/here.txt <<'END'
first $HOME
second
END
cat >> .env <<'END'
MORE=agent
END`;

/** In a folder, so that nothing is where the agent was told to write. */
export const firstPrompt = 'Please make the changes';

export async function firstTurn(agent: AgentRun): Promise<void> {
  const { tools, newFolder = 'src/deep' } = agent.program;
  const at = (name: string) => agent.space.at(name);
  await agent.prompt(
    firstPrompt,
    turnsOf(
      tools.write(at(`${newFolder}/new.txt`), 'brand new\n'),
      tools.read?.(at('src/a.txt')),
      tools.edit(at('src/a.txt'), 'alpha two', 'alpha TWO'),
      tools.read?.(at('README.md')),
      tools.write(at('README.md'), '# Rewritten\n', '# First\n\nHello.\n'),
      tools.patch?.(movingPatch('src/b.txt', 'src/moved.txt', 'x one', 'y one')),
      tools.shell('sed -i s/one/ONE/ src/a.txt src/crlf.txt && rm run.sh && mv notes.txt src/notes.txt'),
      tools.shell(heredoc),
      tools.shell('mkdir -p build/deep && echo built > build/deep/out.txt && chmod 755 src/here.txt'),
    ),
  );
}

/** Paths that edit tools write in the first turn, oldest call first. */
export function editedFirst({ program: { tools, newFolder: folder } }: AgentRun): string[][] {
  return [
    folder === undefined ? ['src/deep', 'src/deep/new.txt'] : [`${folder}/new.txt`],
    ['src/a.txt'],
    ['README.md'],
    ...(tools.patch ? [['src/b.txt', 'src/moved.txt']] : []),
  ];
}

/** A file that the agent changed and will change, and one of the person's own that the agent will delete. */
export function byPerson(space: Workspace): void {
  space.write('src/a.txt', space.read('src/a.txt').replace('alpha four', 'alpha four, by a person'));
  space.write('todo.txt', 'of a person\n');
}

export async function secondTurn(agent: AgentRun): Promise<void> {
  const { tools } = agent.program;
  const at = (name: string) => agent.space.at(name);
  await agent.prompt(
    'Now the second change',
    [
      ...turnsOf(tools.read?.(at('src/a.txt')), tools.edit(at('src/a.txt'), 'alpha three', 'alpha THREE')),
      ...(tools.subagent?.('Please do SUBTASK now') ?? []),
      ...turnsOf(
        tools.shell('git stash -q && git checkout -q other && git stash pop -q'),
        tools.shell('git clean -fdxq'),
        tools.write(at('src/last.txt'), 'after all\n'),
      ),
    ],
    {
      again: true,
      lanes: tools.subagent
        ? [{ word: 'SUBTASK', turns: turnsOf(tools.write(at('src/sub.txt'), 'by a subagent\n')) }]
        : [],
    },
  );
}
