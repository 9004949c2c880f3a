import { advance } from '../advance/advance.js';
import type { Change } from '../change/change.js';
import type { SignalReceived } from '../task/event.js';
import { jsonSize } from '../json/json-size.js';
import { succeedLeaf } from '../kinds/leaf.js';
import { stepAt } from '../scopes/step-at.js';
import { SIGNAL_BYTES_MAX, SIGNALS_MAX } from '../task/signals.js';
import { LIVE_STATUSES } from '../task/status.js';
import { openActions } from '../scopes/task-index.js';
import { APPLIED, type Refusal, type Verdict } from '../task/verdict.js';
import { type ActionRule, admitAction } from './persons-action.js';

const RULE: ActionRule = {
  kind: 'signal_received',
  verb: 'signal',
  legalIn: LIVE_STATUSES,
  isRare: true,
};

const FULL: Refusal = {
  kind: 'refused',
  code: 'SIGNALS_FULL',
  message:
    `a task keeps at most ${SIGNALS_MAX} signals, and ${SIGNAL_BYTES_MAX} bytes of them, that no ` +
    'step waits for yet; there is no room for this one',
};

/** The first step that waits for the signal has it; one that nothing waits for is kept. */
export function signalReceived(change: Change, event: SignalReceived): Verdict {
  const { actor, name, payload } = event;
  const waiting = waitingFor(change, name);
  // A change that is refused is not stored, so the key of a signal that finds no room is not kept.
  const verdict = admitAction(change, event, RULE);
  if (verdict !== null) return verdict;
  if (waiting === null && isFull(change, event)) return FULL;
  change.note(RULE.kind, { actor, message: name });
  if (waiting === null) change.requests.signals = [...change.requests.signals, { name, payload }];
  else succeedLeaf(change, waiting, payload);
  advance(change);
  return APPLIED;
}

function waitingFor(change: Change, name: string): number | null {
  for (const { direction, step } of openActions(change.base)) {
    if (direction !== 'normal' || change.runs[step]?.normal.state !== 'waiting') continue;
    const { wait } = stepAt(change, step) ?? {};
    const isIt = wait !== undefined && 'signal' in wait && wait.signal === name;
    if (isIt && change.wants({ direction, step })) return step;
  }
  return null;
}

function isFull({ requests }: Change, { name, payload }: SignalReceived): boolean {
  const { signals } = requests;
  if (signals.length >= SIGNALS_MAX) return true;
  const all = [...signals, { name, payload }];
  return all.reduce((sum, signal) => sum + jsonSize(signal.payload), 0) > SIGNAL_BYTES_MAX;
}
