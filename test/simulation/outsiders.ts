import { type EventOf, type Task, TASK_STATUS } from '#core';
import { runIdOf, stepAt } from '#core/scopes';
import type { PersonsEvent } from '#engine';
import type { SeededRandom } from '../trial/seeded-random.js';
import { SIGNAL } from './random-program.js';

/** An actor, and the key of the request. */
export interface Who {
  readonly actor: string;
  readonly key: string | null;
}

type Act = PersonsEvent | EventOf<'completed'>;
type Reset = Extract<PersonsEvent, { kind: 'reset_requested' }>;

/** A task, among all that there are. */
export interface Met {
  readonly task: Task;
  readonly tasks: Iterable<Task>;
}

/** An action of a person on a task of steps of all kinds, whatever its effect. */
export function drawAct(random: SeededRandom, met: Met, who: Who): Act {
  const { task } = met;
  const person = { ...who, reason: 'because' };
  const step = runIdOf(task, random.between(0, task.runs.length - 1));
  const to = random.pick(task.plan.steps).name;
  const edit = random.next() < 0.3 ? { parameters: { by: who.actor } } : {};
  switch (random.between(0, 9)) {
    case 0:
      return { kind: 'rollback_requested', ...person };
    case 1:
    case 2:
      return { kind: 'rollback_requested', ...person, to };
    case 3:
      return { kind: 'skip_requested', ...person, step: failedStep(task) ?? step };
    case 4:
      return { kind: 'skip_requested', ...person, step, output: { by: 'hand' } };
    case 5:
      return { kind: 'undo_requested', ...person };
    case 6:
      return random.next() < 0.8
        ? { kind: 'retry_requested', ...person, ...edit, ...whichChildren(who) }
        : { kind: 'terminate_requested', ...person };
    case 7:
      return { kind: 'retry_requested', ...person, ...edit, ...whichChildren(who) };
    default:
      return { kind: 'reset_requested', ...person, to, ...edit, ...whichStay(met, to, who) };
  }
}

/** A message from outside: a signal, a yes or no, the end of an attempt. */
export function drawWord(random: SeededRandom, task: Task, who: Who): Act {
  const act = random.next() < 0.9 ? answerTo(random, task, who) : null;
  return act ?? signalBy(who);
}

/** The action that lets a waiting task go on; null: it waits for nobody. */
export function drawHelp(random: SeededRandom, task: Task, who: Who): Act | null {
  const person = { ...who, reason: 'because' };
  if (task.outcome !== null || task.status === TASK_STATUS.paused) return null;
  if (task.status === TASK_STATUS.on_hold) {
    const step = failedStep(task);
    const drawn = random.next();
    if (drawn < 0.35) return { kind: 'retry_requested', ...person, ...whichChildren(who) };
    if (drawn < 0.7 && step !== null) return { kind: 'skip_requested', ...person, step };
    if (drawn < 0.95) return { kind: 'rollback_requested', ...person };
    return { kind: 'terminate_requested', ...person };
  }
  return answerTo(random, task, who);
}

/** A reset of a task that succeeded to a list whose other items stay; null: it has none. */
export function drawAgain(met: Met, who: Who): Act | null {
  const { task } = met;
  if (task.outcome !== 'succeeded' || task.plan.parent !== null) return null;
  const list = task.plan.steps.find(({ foreach }, place) => {
    return foreach !== undefined && task.runs[place]?.normal.state === 'succeeded';
  });
  if (list === undefined) return null;
  const children = whichStay(met, list.name, who);
  return { kind: 'reset_requested', ...who, reason: 'again', to: list.name, ...children };
}

/** Every third person says which child tasks of what failed are begun again. */
function whichChildren(who: Who): { readonly children?: 'failed' | 'all' } {
  const turn = numberOf(who) % 6;
  if (turn === 0) return { children: 'all' };
  return turn === 3 ? { children: 'failed' } : {};
}

/** Two of three persons who reset a step with child tasks have all but some of these stay. */
export function whichStay({ task, tasks }: Met, to: string, who: Who): Pick<Reset, 'children'> {
  const step = task.plan.steps.find(({ name }) => name === to);
  const turn = numberOf(who) % 3;
  if (step?.foreach === undefined || turn === 0) return {};
  if (turn === 1) return { children: 'failed' };
  const own = [...tasks].filter(({ plan: { parent } }) => {
    return parent?.taskId === task.plan.taskId && parent.run.startsWith(to);
  });
  const one = own[numberOf(who) % own.length];
  return one === undefined ? { children: 'failed' } : { children: { id: one.plan.taskId } };
}

/** The number of a person, which is another for each act. */
function numberOf({ actor }: Who): number {
  return Number(/\d+$/.exec(actor)?.[0] ?? 0);
}

function signalBy(who: Who): Act {
  const payload = { by: who.actor };
  return { kind: 'signal_received', ...who, reason: 'because', name: SIGNAL, payload };
}

/** An answer to the first thing that a task waits for; null: it waits for nobody outside. */
function answerTo(random: SeededRandom, task: Task, who: Who): Act | null {
  const person = { ...who, reason: 'because' };
  for (const [step, { normal, rollback }] of task.runs.entries()) {
    const plan = stepAt(task, step);
    for (const [direction, run] of [
      ['normal', normal],
      ['rollback', rollback],
    ] as const) {
      if (run?.look === 'outside' && run.state === 'waiting') {
        const failure = { failure: 'FAILED', terminal: false, message: 'no' } as const;
        const result = random.next() < 0.8 ? { output: null } : { failure };
        // The key says what was said, and of what attempt.
        const said = `${runIdOf(task, step)} ${direction} ${run.attempts}`;
        const key = `${Object.keys(result).join()} of ${said}`;
        return {
          kind: 'completed',
          ...person,
          key,
          direction,
          step,
          attempt: run.attempts,
          result,
        };
      }
    }
    if (normal.state !== 'waiting') continue;
    if (plan?.approve !== undefined) {
      const isApproved = random.next() < 0.7;
      return { kind: 'judged', ...person, step: runIdOf(task, step), isApproved };
    }
    if (plan?.wait !== undefined && 'signal' in plan.wait) return signalBy(who);
  }
  return null;
}

/** A step that a person may pass over: its rollback failed, or the task is on hold for it. */
function failedStep(task: Task): string | null {
  const back = task.runs.findIndex(({ rollback }) => rollback?.state === 'failed');
  const forward = task.runs.findIndex(({ normal: { state } }) => {
    return state === 'failed' || state === 'timed_out';
  });
  const at = back < 0 ? forward : back;
  return at < 0 ? null : runIdOf(task, at);
}
