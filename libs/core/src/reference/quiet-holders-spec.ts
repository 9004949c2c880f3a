import { invariant } from '../assert.js';
import type { TaskEvent, WorkerOutcome } from '../task/event.js';
import type { ActionRef } from '../task/action-ref.js';
import type { Task } from '../task/task.js';
import type { Holding } from './program-spec.js';

/** The task whose actions are held. */
interface Held {
  readonly task: Task;
  readonly apply: (event: TaskEvent) => void;
}

/** Without the id of a poll, which could bring the same action once more. */
const WORKER = { lengthMs: 30_000, poll: null };

/** Somebody takes a queued action. */
export function claim(held: Held, ref: ActionRef, holding: Holding): void {
  if (holding === 'second_delivery') {
    claimOnce(held, ref, holding);
    const { token } = held.task;
    const back = { kind: 'handed_back', ...ref, token, message: 'lost', isUnseen: true } as const;
    tell(held, back, holding);
  }
  claimOnce(held, ref, holding);
  if (holding === 'held') held.apply({ kind: 'renewed', ...ref, token: held.task.token });
}

function claimOnce(held: Held, ref: ActionRef, holding: Holding): void {
  const run = held.task.runs[ref.step]?.[ref.direction];
  const event = { kind: 'claimed', ...ref, attempt: (run?.attempts ?? 0) + 1 } as const;
  if (holding === 'session') held.apply({ ...event, owner: 'e' });
  else held.apply({ ...event, owner: 'w', worker: WORKER });
}

/** The holder says how it went. A worker says it twice, as it does where an answer is lost. */
export function tell(held: Held, outcome: WorkerOutcome, holding: Holding): void {
  if (holding === 'session') {
    held.apply(outcome);
    return;
  }
  const told = { kind: 'worker_reported', outcome, hash: 'h', worker: 'w' } as const;
  held.apply(told);
  const { task } = held;
  held.apply(told);
  invariant(held.task === task, 'an outcome that is told again changes nothing');
}
