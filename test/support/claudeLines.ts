// Lines of a transcript in Claude Code's form, for what has nothing to do with the form.

export const say = (uuid: string, parentUuid: string | null, content: unknown, more: object = {}) => ({
  type: 'user',
  uuid,
  parentUuid,
  cwd: '/w',
  message: { role: 'user', content },
  ...more,
});

/** Glued together; texts as they are. */
export const line = (...values: unknown[]) =>
  values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('');

export const lines = (...values: unknown[]) => values.map((value) => `${line(value)}\n`).join('');

export const a = say('a', null, 'one');
export const b = say('b', 'a', 'two');
export const c = say('c', 'b', 'three');
