import type { Change } from '../change/change.js';
import type { JsonObject } from '../json/json.js';
import { stepAt } from '../scopes/step-at.js';
import type { AnswerValues } from '../task/question.js';
import { failLeaf, leafKind, startLeaf, succeedLeaf, waitLeaf } from './leaf.js';
import type { StepKind } from './kind.js';

const NOTHING: JsonObject = Object.freeze({});

/** Waits for a time, a moment or a signal. */
export const wait: StepKind = leafKind({ start: startWait, due: endWait });

function startWait(change: Change, place: number, values: AnswerValues): void {
  const { wait: what } = stepAt(change, place) ?? {};
  startLeaf(change, place);
  if (what === undefined || !('signal' in what)) {
    const until = 'for' in values ? change.now + Number(values['for']) : Number(values['until']);
    waitUntil(change, place, until);
    return;
  }
  const { signal, timeoutMs } = what;
  const early = change.requests.takeSignal(signal);
  if (early !== null) succeedLeaf(change, place, early);
  else waitLeaf(change, place, timeoutMs === null ? null : change.now + timeoutMs);
}

/** A moment that is over is no wait. */
function waitUntil(change: Change, place: number, until: number): void {
  if (until <= change.now) succeedLeaf(change, place, NOTHING);
  else waitLeaf(change, place, until);
}

function endWait(change: Change, place: number): void {
  const { wait: what } = stepAt(change, place) ?? {};
  if (what === undefined || !('signal' in what) || what.onTimeout === 'continue') {
    return succeedLeaf(change, place, NOTHING);
  }
  const message = `no signal ${what.signal} came in time`;
  failLeaf(change, place, { code: 'SIGNAL_TIMEOUT', message });
}
