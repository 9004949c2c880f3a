import type { JsonObject } from '../json/json.js';
import { stepAt } from '../scopes/step-at.js';
import { runAt } from '../moves/scope-change.js';
import { failLeaf, leafKind, startLeaf, succeedLeaf, waitLeaf } from './leaf.js';
import type { StepKind } from './kind.js';
import { normalOf } from '../task/action-ref.js';

/** Waits for a person's yes or no. */
export const approve: StepKind = leafKind({
  start(change, place, { title }) {
    const { approve: what } = stepAt(change, place) ?? {};
    startLeaf(change, place);
    const ref = normalOf(place);
    const values: JsonObject = { title };
    change.putRun(ref, { ...runAt(change, ref), values });
    const timeoutMs = what?.timeoutMs ?? null;
    waitLeaf(change, place, timeoutMs === null ? null : change.now + timeoutMs);
  },
  due(change, place) {
    const { approve: what } = stepAt(change, place) ?? {};
    if (what?.onTimeout === 'continue') return succeedLeaf(change, place, {});
    const message = 'nobody answered in time';
    failLeaf(change, place, { code: 'SIGNAL_TIMEOUT', message });
  },
});
