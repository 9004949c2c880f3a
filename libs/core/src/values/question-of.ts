import { runOf } from '../scopes/dispatch.js';
import type { ActionRef } from '../task/event.js';
import { rulesOf } from '../kinds/table.js';
import { stepAt } from '../scopes/step-at.js';
import { entryAsks, type QuestionMember } from '../task/question.js';
import { actionAsks, isTemplate } from '../moves/queue-action.js';
import type { Task } from '../task/task.js';

/** The parts of a task from which its questions follow. */
type Asked = Pick<Task, 'plan' | 'runs' | 'scopes' | 'alert' | 'alertStep'>;

/**
 * The members whose values must be known before a queued or running action can go on; null: there
 * are none.
 */
export function membersAsked(task: Asked, ref: ActionRef): readonly QuestionMember[] | null {
  if (ref.direction === 'alert') return null;
  const run = runOf(task, ref);
  const step = stepAt(task, ref.step);
  if (run === null || step === undefined) return null;
  if (ref.direction === 'rollback') {
    const { rollback } = step;
    const isAsked =
      run.state === 'queued' && run.values === null && rollback && isTemplate(rollback);
    return isAsked === true ? actionAsks(rollback) : null;
  }
  const rules = rulesOf(step);
  if (run.state === 'running') return rules.holds?.asksOn?.(task, ref.step) ?? null;
  // A command keeps its answers in `values`; any other step starts with them at once.
  if (run.state !== 'queued' || (step.normal !== undefined && run.values !== null)) return null;
  return entryAsks(step, rules.asks).members;
}

/** Whether an action waits for what the templates of its step come to. */
export function isAsking(task: Asked, ref: ActionRef): boolean {
  return membersAsked(task, ref) !== null;
}
