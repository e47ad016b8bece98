// More than one observer behind the one door: a formatter, say, beside the checkpoints.
import type { CaptureResult, WriteObserver } from './request';

/**
 * Before a write they are asked in this order, so that bytes are safe before anybody else acts; after it too, so that
 * what the agent wrote is known before anybody changes it. One that throws is passed over: the agent goes on.
 */
export function combineObservers(...observers: readonly WriteObserver[]): WriteObserver {
  return {
    beforeWrite: (request) => joined(observers.map((each) => quietly(nothing, () => each.beforeWrite(request)))),
    afterWrite: (call) => observers.flatMap((each) => quietly([], () => each.afterWrite(call))),
    abandon: (call) => observers.forEach((each) => quietly(undefined, () => each.abandon(call))),
  };
}

const nothing: CaptureResult = { checkpoints: [], first: true };

const joined = (results: readonly CaptureResult[]): CaptureResult => ({
  checkpoints: results.flatMap(({ checkpoints }) => checkpoints),
  first: results.every(({ first }) => first),
});

function quietly<T>(otherwise: T, act: () => T): T {
  try {
    return act();
  } catch {
    return otherwise;
  }
}
