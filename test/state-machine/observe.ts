import {
  type ActionRef,
  type Direction,
  runOf,
  statusName,
  type Task,
  type TaskEvent,
  wantsAction,
} from '#core';
import { actionsOf } from './events.js';
import { explore, type Happened } from './explore.js';
import { SMALL_FLOWS } from './small-flows.js';

/** What a table is about: actions of one direction, or tasks as a whole. */
export type Subject = Direction | 'task';

/** Every result that came about, by subject, event and state before it. */
export class Observed {
  private readonly cells = new Map<string, Set<string>>();

  /** Results in the order of the alphabet. */
  of(subject: Subject, kind: TaskEvent['kind'], state: string): readonly string[] {
    return [...(this.cells.get(`${subject} ${kind} ${state}`) ?? [])].toSorted();
  }

  look({ before, decision, event }: Happened): void {
    const { kind } = event;
    this.add(['task', kind, statusName(before.status)], taskResult(decision));
    const isAboutOne = 'direction' in event;
    for (const ref of isAboutOne ? [event] : actionsOf(before)) {
      const state = columnOf(before, ref);
      const result = actionResult(decision, ref);
      // Whether a person may act depends on the task, not on what becomes of an action.
      const isAside = !isAboutOne && (state === 'absent' || isRefused(decision));
      if (!isAside) this.add([ref.direction, kind, state], result);
    }
  }

  private add(key: readonly string[], result: string): void {
    const name = key.join(' ');
    const cell = this.cells.get(name);
    if (cell === undefined) this.cells.set(name, new Set([result]));
    else cell.add(result);
  }
}

/** Everything that came about in the tasks of the small flows. */
export function observeAll(): Observed {
  const observed = new Observed();
  for (const flow of SMALL_FLOWS) explore(flow, (happened) => observed.look(happened));
  return observed;
}

type Decision = Happened['decision'];

function taskResult(decision: Decision): string {
  if (decision.kind === 'moved') return statusName(decision.task.status);
  return decision.kind === 'ignored' ? 'ignored' : decision.code;
}

function actionResult(decision: Decision, ref: ActionRef): string {
  if (decision.kind === 'ignored') return decision.reason;
  if (decision.kind === 'refused') return decision.code;
  const { alert } = decision.task;
  // An alert that is raised anew may be about another step.
  const run = ref.direction === 'alert' ? alert : runOf(decision.task, ref);
  return run?.state ?? 'absent';
}

/** Whether a person's action came to nothing. */
function isRefused(decision: Decision): boolean {
  return (
    decision.kind === 'refused' || (decision.kind === 'ignored' && decision.reason === 'repeated')
  );
}

/** The state of an action; `called_off` is one that runs while the task goes the other way. */
function columnOf(task: Task, ref: ActionRef): string {
  const run = runOf(task, ref);
  if (run === null) return 'absent';
  const isCalledOff = run.state === 'running' && !wantsAction(task, ref);
  return isCalledOff ? 'called_off' : run.state;
}
