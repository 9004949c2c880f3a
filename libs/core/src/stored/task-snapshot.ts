import { runOf } from '../scopes/dispatch.js';
import type { StepPlan } from '../flow/flow.js';
import { isObject, readStoredJson } from '../json/shape.js';
import { openActions } from '../scopes/task-index.js';
import type { Task } from '../task/task.js';
import { TASK_JSON } from './task-json.js';
import { taskFault } from './task-shape.js';
import { contentSize } from '../task/task-size.js';

/** Longest snapshot, in characters: a message stays small beside what a broker does for it. */
const CHARACTERS_MAX = 16_384;

/** Larger documents are not even written down to be measured. */
const CONTENT_MAX = 8_192;
const ENTRIES_MAX = 100;
const STEPS_MAX = 32;

/**
 * The whole document as text, for the message that asks for its only open action, so that whoever
 * gets it can decide without reading the document; null where the task is too large, or where more
 * than one action is open: then another person probably moves it meanwhile. `steps` names its
 * steps, which are the same for all tasks of a flow version. Two documents have the same text only
 * if they are the same.
 */
export function snapshotOf(task: Task, steps: string): string | null {
  const { journal, runs } = task;
  if (runs.length > STEPS_MAX || journal.length > ENTRIES_MAX) return null;
  if (!isAskedForOneThing(task) || (task.index?.contentBytes ?? contentSize(task)) > CONTENT_MAX)
    return null;
  const text = JSON.stringify(TASK_JSON.write(task, steps));
  return text.length > CHARACTERS_MAX ? null : text;
}

/**
 * The document that a snapshot tells of; null where it is none, or its steps are not known here.
 * Anybody may have written it: it is a guess until a store has compared it with what is stored.
 */
export function taskOfSnapshot(text: string, stepsOf: StepsOf): Task | null {
  if (text.length > CHARACTERS_MAX) return null;
  try {
    return taskIn(readStoredJson(text, 'the snapshot'), stepsOf);
  } catch {
    return null;
  }
}

/** The revision that a snapshot tells of, true or not; 0 where it tells of none. */
export function revisionInSnapshot(text: string): number {
  if (text.length > CHARACTERS_MAX) return 0;
  try {
    const found = readStoredJson(text, 'the snapshot');
    const revision = isObject(found) ? found['revision'] : undefined;
    return Number.isSafeInteger(revision) ? (revision as number) : 0;
  } catch {
    return 0;
  }
}

/** The steps of that name, if they are known here. */
type StepsOf = (name: string) => readonly StepPlan[] | undefined;

function taskIn(found: unknown, stepsOf: StepsOf): Task | null {
  const task = TASK_JSON.read(found, (name) => (typeof name === 'string' ? stepsOf(name) : null));
  return taskFault(task) === null ? task : null;
}

function isAskedForOneThing(task: Task): boolean {
  const open = openActions(task);
  const [only] = open;
  return only !== undefined && open.length === 1 && runOf(task, only)?.state === 'queued';
}
