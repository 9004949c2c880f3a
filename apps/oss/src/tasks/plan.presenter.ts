import type { Task } from '#core';
import { runIdOf, stepAt } from '#core/scopes';
import type { SeenExecutor } from '#engine';
import { mayHave } from '#ports';
import type { CommonParts, ExecutorParts } from '../options.js';
import type { FamilyStep, FamilyUndo } from './family-plan.js';
import { UndoParameters } from './undo-parameters.js';
import type { Shown } from '../requests/shown.js';

/** A step of a task, or of a child task, as HTTP shows it. */
export type PublicPlace = Shown<'RollbackPlan'>['leftOver'][number];

/** One undo as HTTP shows it. */
type PublicUndo = Shown<'RollbackPlan'>['items'][number];

/**
 * The undos of a plan as HTTP shows them, with the values of their expressions, unless `draft` is
 * aborted before.
 */
export async function presentUndos(
  options: CommonParts & ExecutorParts,
  undos: readonly FamilyUndo[],
  draft: AbortSignal,
): Promise<readonly PublicUndo[]> {
  const records = undos.length === 0 ? [] : await options.executors.seen();
  const parameters = new UndoParameters({ ...options, draft });
  const items: PublicUndo[] = [];
  for (const each of undos) {
    items.push({ ...presentUndo(each, records), ...(await parameters.of(each)) });
  }
  return items;
}

/** The name of the step at a place. */
export function nameAt(task: Task, place: number): string {
  return stepAt(task, place)?.name ?? '';
}

/** A step as HTTP shows it. */
export function presentPlace({ place, task }: FamilyStep): PublicPlace {
  return { taskId: task.plan.taskId, step: nameAt(task, place), id: runIdOf(task, place) };
}

function presentUndo(
  { task, undo }: FamilyUndo,
  records: readonly SeenExecutor[],
): Omit<PublicUndo, 'parameters' | 'unresolved'> {
  const { command, module } = undo.action;
  const served = records.some((record) => {
    const isSilent = record.worker === true && record.silentSince !== null;
    return record.module === module && !isSilent && mayHave(record, command);
  });
  return { ...presentPlace({ task, place: undo.place }), module, command, served };
}
