import assert from 'node:assert/strict';
import { checkpointTime, isCheckpointId, newCheckpointId, parseCheckpointId } from '../../src/core/store/ids';
import { CheckpointError } from '../../src/core/errors';

describe('checkpoint ids', () => {
  it('have the form of the contract and bear their time', () => {
    const time = Date.UTC(2026, 10, 30, 11, 5, 1, 28);
    const id = newCheckpointId(time);
    assert.match(id, /^20261130T110501028Z-[0-9a-z]{10}$/);
    assert.equal(checkpointTime(id), time);
  });

  it('are later than the newest one there, also when the clock goes back', () => {
    const newest = newCheckpointId(Date.UTC(2030, 0, 1));
    const next = newCheckpointId(Date.UTC(2026, 0, 1), newest);
    assert.ok(next > newest);
  });

  it('refuse anything else before it can become a path', () => {
    for (const text of ['', '../../x', '20261130T110501028Z-k3v9x2m4q', '20261130T110501028Z-k3v9x2m4qa/..', 'x\n']) {
      assert.equal(isCheckpointId(text), false);
      assert.throws(
        () => parseCheckpointId(text),
        (error) => CheckpointError.is(error, 'bad-id'),
      );
    }
    assert.equal(isCheckpointId('20261130T110501028Z-k3v9x2m4qa\n'), false);
  });
});
