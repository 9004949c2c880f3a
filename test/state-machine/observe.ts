import { type ActionRef, type Direction, statusName, type Task, type TaskEvent } from '#core';
import { runOf, wantsAction } from '#core/scopes';
import { actionsOf } from './events.js';
import { explore, type Happened } from './explore.js';
import { SMALL_FLOWS } from './small-flows.js';

/** The subject of a table: actions of one direction, or tasks as a whole. */
export type Subject = Direction | 'task';

/** An action, and its state before an event. */
interface Column {
  readonly ref: ActionRef;
  readonly state: string;
}

/** Every result that came about, by subject, event and state before it. */
export class Observed {
  /** By subject, kind of event and state. Millions of results make a few hundred cells. */
  private readonly cells = new Map<string, Map<string, Map<string, Set<string>>>>();

  private newest: { readonly task: Task; readonly columns: readonly Column[] } | null = null;

  /** Results in the order of the alphabet. */
  of(subject: Subject, kind: TaskEvent['kind'], state: string): readonly string[] {
    return [...(this.cells.get(subject)?.get(kind)?.get(state) ?? [])].toSorted();
  }

  look({ before, decision, event }: Happened): void {
    const { kind } = event;
    this.add(['task', kind, statusName(before.status)], taskResult(decision));
    const about = event.kind === 'worker_reported' ? event.outcome : event;
    if ('direction' in about) {
      this.add([about.direction, kind, columnOf(before, about)], actionResult(decision, about));
      return;
    }
    // Whether a person may act depends on the task, not on what becomes of an action.
    if (isRefused(decision)) return;
    for (const { ref, state } of this.columnsOf(before)) {
      if (state !== 'absent') this.add([ref.direction, kind, state], actionResult(decision, ref));
    }
  }

  /** All actions of a task, with many events to look at, with the states before them. */
  private columnsOf(task: Task): readonly Column[] {
    if (this.newest?.task !== task) {
      const columns = actionsOf(task).map((ref) => ({ ref, state: columnOf(task, ref) }));
      this.newest = { task, columns };
    }
    return this.newest.columns;
  }

  private add([subject, kind, state]: readonly [Subject, string, string], result: string): void {
    const rows = entryOf(this.cells, subject, newMap<Map<string, Set<string>>>);
    const row = entryOf(rows, kind, newMap<Set<string>>);
    entryOf(row, state, newSet).add(result);
  }
}

function entryOf<T>(all: Map<string, T>, key: string, make: () => T): T {
  const known = all.get(key);
  if (known !== undefined) return known;
  const made = make();
  all.set(key, made);
  return made;
}

function newMap<T>(): Map<string, T> {
  return new Map();
}

function newSet(): Set<string> {
  return new Set();
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
  return runOf(decision.task, ref)?.state ?? 'absent';
}

/** Whether a person's action changed nothing. */
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
