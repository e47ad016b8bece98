import assert from 'node:assert/strict';
import { CheckpointError } from '../../src/core/errors';

class Special extends CheckpointError {}

describe('an error for the person', () => {
  it('is known by its reason', () => {
    assert.ok(CheckpointError.is(new CheckpointError('locked', 'x'), 'locked'));
    assert.ok(!CheckpointError.is(new CheckpointError('locked', 'x'), 'damaged'));
    assert.ok(!CheckpointError.is(new Error('x')));
  });

  it('is known also when it comes from another bundle, which has its own copy of the class', () => {
    const copy = Object.assign(new Error('x'), { name: 'CheckpointError', reason: 'locked' });
    assert.ok(copy instanceof CheckpointError);
    assert.ok(CheckpointError.is(copy, 'locked'));
  });

  it('of a special kind is told from the others', () => {
    assert.ok(new Special('failed', 'x') instanceof CheckpointError);
    assert.ok(new Special('failed', 'x') instanceof Special);
    assert.ok(!(new CheckpointError('failed', 'x') instanceof Special));
  });
});
