import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { cannotFork } from '../../src/agents/fork/forkSession';
import { rebuild } from '../../src/core/context/rebuild';
import { chainPath } from '../../src/core/context/rebuildChain';
import { interrupted } from '../../src/core/context/repair';
import { CheckpointError } from '../../src/core/errors';
import { appendToChain } from '../../src/core/conversation/append';
import { openChain } from '../../src/core/conversation/chain';
import { rootStores } from '../../src/core/store/stores';
import { forkPlace, saidIn, saidUpTo } from '../support/forkKit';
import { temporaryRoot } from '../support/ports';
import { readTranscript } from '../support/transcriptKit';

const old = '5b1f7c1e-3d0a-4c55-9a57-2f6b0c0f4a11';

/** A session of Claude Code: two parallel calls whose results stand beside each other, an answer, a second prompt. */
function claudeLines(root: string, session = old): string[] {
  const record = (type: string, uuid: string, parentUuid: string | null, more: object) =>
    JSON.stringify({
      parentUuid,
      isSidechain: false,
      type,
      uuid,
      cwd: root,
      sessionId: session,
      version: '2.1.332',
      ...more,
    });
  const said = (role: string, content: unknown, id?: string) => ({
    message: { role, content, ...(id && { id, model: 'claude-sonnet-4-5' }) },
  });
  const use = (id: string) => [{ type: 'tool_use', id, name: 'Bash', input: { command: id } }];
  const result = (id: string) => [{ type: 'tool_result', tool_use_id: id, content: `result of ${id}` }];
  return [
    JSON.stringify({ type: 'queue-operation', sessionId: session, content: 'bookkeeping' }),
    record('user', 'ask', null, said('user', 'First')),
    // What JavaScript cannot hold stays as it is written.
    record('attachment', 'note', 'ask', { attachment: { type: 'date' } }).replace(
      '"isSidechain":false',
      '"isSidechain":false , "big":12345678901234567890, "half":"\\ud800","sessionId_":"x"',
    ),
    record('assistant', 'say', 'note', said('assistant', [{ type: 'text', text: 'I run both' }], 'm1')),
    record('assistant', 'call-1', 'say', said('assistant', use('t1'), 'm1')),
    record('assistant', 'call-2', 'call-1', said('assistant', use('t2'), 'm1')),
    record('user', 'back-1', 'call-1', said('user', result('t1'))),
    record('user', 'back-2', 'call-2', said('user', result('t2'))),
    record('user', 'sub', 'call-2', { ...said('user', 'of a subagent'), isSidechain: true }),
    record('assistant', 'done', 'back-2', said('assistant', [{ type: 'text', text: 'Both ran' }], 'm2')),
    record('user', 'other', 'ask', said('user', 'Another branch')),
    record('user', 'again', 'done', said('user', 'Second')),
    record('assistant', 'open', 'again', said('assistant', use('t3'), 'm3')),
  ];
}

function claudePlace(session = old) {
  const place = forkPlace();
  const folder = path.join('.claude', 'projects', place.root.replace(/[^a-zA-Z0-9]/g, '-'));
  const lines = claudeLines(place.root, session);
  const file = place.add(path.join(folder, `${old}.jsonl`), lines.map((line) => `${line}\n`).join(''));
  return { place, folder: place.at(folder), lines, file, chain: place.chain('claude-code', old) };
}

const linesIn = (file: string) => fs.readFileSync(file, 'utf8').trimEnd().split('\n');
const reasonOf = (reason: string) => (error: unknown) => CheckpointError.is(error, reason as never);

describe('a fork as a session of its agent', () => {
  it('has the agent’s own records up to the point, letter by letter, under a new id; the old file is not touched', () => {
    const { place, folder, lines, file, chain } = claudePlace();
    const before = fs.statSync(file);
    const made = place.fork(chain, 'done');
    assert.match(made.session, /^[0-9a-f-]{36}$/);
    assert.deepEqual(
      { ...made },
      {
        agent: 'claude-code',
        session: made.session,
        file: path.join(folder, `${made.session}.jsonl`),
        cwd: place.root,
        from: 'transcript',
        start: { program: 'claude', args: ['--resume', made.session] },
      },
    );
    const copied = linesIn(made.file);
    const expected = [1, 2, 3, 4, 5, 6, 7, 9].map((at) => lines[at]!.replace(`"${old}"`, `"${made.session}"`));
    assert.deepEqual(copied.slice(0, -1), expected);
    assert.deepEqual(JSON.parse(copied.at(-1)!), {
      type: 'last-prompt',
      lastPrompt: 'First',
      leafUuid: 'done',
      sessionId: made.session,
    });
    assert.equal(fs.statSync(made.file).mode & 0o777, 0o600);
    assert.equal(fs.readFileSync(file, 'utf8'), lines.map((line) => `${line}\n`).join(''));
    assert.equal(fs.statSync(file).mtimeMs, before.mtimeMs);
    assert.deepEqual(fs.readdirSync(folder).sort(), [`${old}.jsonl`, `${made.session}.jsonl`].sort());
  });

  it('is cut at a legal place: calls come with all their results', () => {
    const { place, chain } = claudePlace();
    const { tree } = readTranscript('claude-code', place.fork(chain, 'say').file);
    assert.equal(tree.leaf, 'say');
    assert.deepEqual(
      tree.nodes.map(({ id, messages }) => [id, messages.map((message) => message.tool_call_id ?? message.role)]),
      [
        ['ask', ['user']],
        ['say', ['assistant', 't1', 't2']],
      ],
    );
  });

  it('answers a call that was never answered', () => {
    const { place, chain } = claudePlace();
    const { tree } = readTranscript('claude-code', place.fork(chain, 'open').file);
    assert.deepEqual(tree.nodes.at(-1)!.messages.at(-1)!.content, interrupted);
    assert.equal(tree.leaf, 'open');
  });

  it('carries a rebuilt context: the summary by itself, then the kept messages word for word', () => {
    const { place, chain } = claudePlace();
    const context = rebuild(chainPath(chain, 'done'), { watermark: { index: 1 } });
    const made = place.fork(chain, 'done', { messages: context.messages });
    assert.equal(made.from, 'messages');
    const records = linesIn(made.file).map((line) => JSON.parse(line));
    assert.equal(records[0].isCompactSummary, true);
    assert.equal(records[0].parentUuid, null);
    assert.match(records[0].message.content[0].text, /## Requests\n- First/);
    assert.equal(records[1].message.model, 'claude-sonnet-4-5');
    for (const [at, { parentUuid }] of records.slice(1, -1).entries()) assert.equal(parentUuid, records[at].uuid);
    for (const { sessionId } of records) assert.equal(sessionId, made.session);
    const kept = saidUpTo(readTranscript('claude-code', made.file).tree).slice(1);
    assert.deepEqual(kept, saidIn(chain.messages('done')).slice(1));
  });

  it('is written out of our own record where the agent’s is gone', () => {
    const { place, folder, file, chain } = claudePlace();
    const expected = saidIn(chain.messages('done'));
    fs.rmSync(file);
    const made = place.fork(chain, 'done');
    assert.equal(made.from, 'messages');
    assert.equal(path.dirname(made.file), folder);
    assert.deepEqual(saidUpTo(readTranscript('claude-code', made.file).tree), expected);
  });

  it('takes nothing out of a transcript for a file’s name', () => {
    const { place, folder, chain } = claudePlace('../../../../escaped');
    const made = place.fork(chain, 'done');
    assert.equal(path.dirname(made.file), folder);
    for (const line of linesIn(made.file)) assert.equal(JSON.parse(line).sessionId, made.session);
  });

  it('is not written where a link leads out of the agent’s folder', () => {
    const { place, folder, file, chain } = claudePlace();
    const elsewhere = path.join(temporaryRoot('elsewhere'), 'project');
    fs.renameSync(folder, elsewhere);
    fs.symlinkSync(elsewhere, folder);
    assert.ok(fs.existsSync(file));
    assert.throws(() => place.fork(chain, 'done'), reasonOf('refused-path'));
    assert.deepEqual(fs.readdirSync(elsewhere), [`${old}.jsonl`]);
  });

  it('is refused, with the reason, for a subagent’s part, for agents without it, and for no agent', () => {
    const { place, chain } = claudePlace();
    assert.match(cannotFork(chain, 'sub')!, /subagent/);
    const stores = rootStores(place.ports, place.root);
    const source = { agent: 'gemini', session: 's', entry: 'g' };
    appendToChain(place.ports, stores, 'g' as never, [
      { id: 'g', parentId: null, messages: [{ role: 'user', content: 'x' }], source },
    ]);
    appendToChain(place.ports, stores, 'n' as never, [
      { id: 'n', parentId: null, messages: [{ role: 'user', content: 'x' }] },
    ]);
    const open = (name: string) => openChain(place.ports, stores, name as never);
    assert.throws(() => place.fork(open('g'), 'g'), /A session of gemini cannot be made.*`rebuild`/);
    assert.throws(() => place.fork(open('n'), 'n'), reasonOf('failed'));
    assert.throws(() => place.fork(chain, 'nowhere'), reasonOf('not-found'));
  });

  it('puts a fork of Codex among the rollouts of its day, with all that it builds on in it', () => {
    const place = forkPlace();
    const [base, child] = ['01a22c1f-f56d-7531-bf38-d8f951a00df1', '01a22c20-1104-77e0-b12b-f816e13a2856'];
    const rollout = (id: string, first: number, meta: object, items: object[]) =>
      [
        { type: 'session_meta', payload: { id, session_id: id, cwd: place.root, model_provider: 'p', ...meta } },
        ...items.map((payload) => ({ type: 'response_item', payload })),
      ]
        .map((line, at) => `${JSON.stringify({ ordinal: first + at, ...line })}\n`)
        .join('');
    const say = (id: string, role: string, text: string) => ({
      type: 'message',
      id,
      role,
      content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
    });
    const call = { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: '*** Begin Patch' };
    const day = '.codex/sessions/2026/11/29';
    place.add(
      `${day}/rollout-2026-11-29T10-00-00-${base}.jsonl`,
      rollout(base!, 0, {}, [say('q1', 'user', 'one'), say('a1', 'assistant', 'two'), say('q2', 'user', 'not of it')]),
    );
    const history_base = { thread_id: base, end_ordinal_exclusive: 3 };
    const file = place.add(
      `${day}/rollout-2026-11-29T11-00-00-${child}.jsonl`,
      rollout(child!, 3, { history_base, forked_from_id: base }, [
        say('q3', 'user', 'three'),
        say('a3', 'assistant', 'four'),
        call,
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'later' }] },
      ]),
    );
    const before = fs.readFileSync(file);
    const made = place.fork(place.chain('codex', child!), 'a3');
    const [header, ...rest] = linesIn(made.file).map((line) => JSON.parse(line));
    assert.deepEqual([header.payload.id, header.payload.session_id], [made.session, made.session]);
    assert.equal(header.payload.forked_from_id, child);
    assert.equal(header.payload.history_base, undefined);
    assert.deepEqual(
      rest.map(({ payload }) => payload.id ?? payload.type),
      ['q1', 'a1', 'q3', 'a3', 'custom_tool_call', 'custom_tool_call_output'],
    );
    assert.deepEqual(
      [header, ...rest].map(({ ordinal }) => ordinal),
      [0, 1, 2, 3, 4, 5, 6],
    );
    assert.deepEqual(rest.at(-1).payload, { type: 'custom_tool_call_output', call_id: 'c1', output: interrupted });
    assert.match(
      path.relative(place.at('.codex', 'sessions'), made.file),
      /^2026.11.(30|29).rollout-2026-11-(30|29)T\d\d-\d\d-\d\d-[0-9a-f-]{36}\.jsonl$/,
    );
    assert.deepEqual(made.start, { program: 'codex', args: ['resume', made.session] });
    assert.deepEqual(fs.readFileSync(file), before);
  });

  it('is started by its file with pi, and names the session that it comes from', () => {
    const place = forkPlace();
    const entry = (id: string, parentId: string | null, message: object) => ({
      type: 'message',
      id,
      parentId,
      message,
    });
    const lines = [
      { type: 'session', version: 3, id: 's', timestamp: '2026-11-30T11:00:00.000Z', cwd: place.root },
      entry('a', null, { role: 'user', content: [{ type: 'text', text: 'one' }] }),
      entry('b', 'a', { role: 'assistant', content: [{ type: 'toolCall', id: 'c', name: 'read', arguments: {} }] }),
      entry('x', 'a', { role: 'user', content: [{ type: 'text', text: 'another branch' }] }),
    ];
    const file = place.add(
      '.pi/agent/sessions/--w--/2026_s.jsonl',
      lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    );
    const made = place.fork(place.chain('pi', 's'), 'b');
    const [header, ...rest] = linesIn(made.file).map((line) => JSON.parse(line));
    assert.deepEqual([header.id, header.parentSession, header.cwd], [made.session, file, place.root]);
    assert.deepEqual(rest.slice(0, 2), lines.slice(1, 3));
    assert.deepEqual(
      [rest[2].parentId, rest[2].message.role, rest[2].message.toolCallId, rest[2].message.toolName],
      ['b', 'toolResult', 'c', 'read'],
    );
    assert.equal(rest.length, 3);
    assert.deepEqual(made.start, { program: 'pi', args: ['--session', made.file] });
    assert.equal(path.dirname(made.file), path.dirname(file));
  });
});
