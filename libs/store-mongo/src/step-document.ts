import type { StepRuns, Task } from '#core';
import { isObject } from '#core/json';
import { stepAt } from '#core/scopes';
import { codecOf, RUNS, type Stored } from '#core/stored';
import { DOCUMENTS, roomIn } from './task-medium.js';

const STEPS = codecOf(RUNS, DOCUMENTS);

/** A step as stored; its name is there for people and their queries. */
export interface StepDocument extends Omit<Stored<StepRuns>, 'normal'> {
  readonly name: string;
  /** State of its normal action. */
  readonly state: string;
  /** Everything else of its normal action; absent: it has not begun. */
  readonly normal?: { readonly output?: unknown };
}

/** Stored form of the step at a place of the task. */
export function stepToDocument(task: Task, place: number): StepDocument {
  const { normal = PENDING, ...rest } = STEPS.write(task.runs[place] as StepRuns, roomIn(task));
  const { state, ...more } = normal as { readonly state: string };
  const name = stepAt(task, place)?.name ?? '';
  for (const _ in more) return { name, state, normal: more, ...rest };
  return { name, state, ...rest };
}

const PENDING = { state: 'pending' };

/** Stored form of the rollback of the step at a place. */
export function rollbackToDocument(task: Task, place: number): unknown {
  return STEPS.writeMember(task.runs[place] as StepRuns, 'rollback', roomIn(task));
}

/** Both halves of a step behind its stored form, which anybody may have written. */
export function documentToRuns(document: unknown): StepRuns {
  if (!isObject(document)) return document as StepRuns;
  const { normal = {}, state, ...rest } = document;
  return STEPS.read({ ...rest, normal: isObject(normal) ? { ...normal, state } : normal }, 0);
}
