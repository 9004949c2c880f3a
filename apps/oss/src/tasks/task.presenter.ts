import { type ActionRun, statusName, type StepPlan, type StepRuns, type Task } from '#core';
import { namesOfNeeds, presentAction } from './action.presenter.js';

/** What the creator of a task is answered, as JSON. */
export function receiptJson(task: Task): string {
  return `${receiptMembers(task)}}`;
}

/**
 * The whole task as JSON: camelCase, times in whole seconds since 1970. Written by hand, because
 * most of a task is its flow, which is the same text for all tasks of a version: making the same
 * from objects takes ten times as long.
 */
export function taskJson(task: Task): string {
  const { cursor, plan, revision, runs } = task;
  const fixed = fixedParts(plan.steps);
  const steps = fixed.map((part, index) => stepJson(part, runs[index]));
  return (
    `${receiptMembers(task)},"taskMessage":${textJson(task.message)},"taskCursor":${cursor}` +
    `,"timeStart":${seconds(task.startedAt)},"timeEnd":${seconds(task.endedAt)}` +
    `,"parameters":${JSON.stringify(plan.parameters)},"labels":${JSON.stringify(plan.labels)}` +
    `,"priority":${plan.priority},"revision":${revision},"wakeAt":${seconds(task.wakeAt)}` +
    `,"steps":[${steps.join(',')}]}`
  );
}

/** The tag of a task's revision. */
export function tagOf(task: Task): string {
  return `"${task.revision}"`;
}

function receiptMembers({ plan, status }: Task): string {
  const { createdAt, flow, flowVersion, taskId } = plan;
  return (
    `{"taskId":${JSON.stringify(taskId)},"flow":${JSON.stringify(flow)}` +
    `,"flowVersion":${flowVersion},"taskStatus":${status},"status":"${statusName(status)}"` +
    `,"timeCreate":${seconds(createdAt)}`
  );
}

/** The parts of a step that are the same in every task of its flow version, as JSON. */
interface FixedParts {
  readonly head: string;
  readonly normal: string;
  /** Without the end, because how it is doing follows; null: there is no rollback. */
  readonly rollback: string | null;
}

const known = new WeakMap<readonly StepPlan[], readonly FixedParts[]>();

function fixedParts(steps: readonly StepPlan[]): readonly FixedParts[] {
  const found = known.get(steps);
  if (found !== undefined) return found;
  const parts = steps.map((step) => {
    const { name, normal, rollback } = step;
    const head = JSON.stringify({ name, needs: namesOfNeeds(step, steps) });
    return {
      head: head.slice(0, -1),
      normal: JSON.stringify(presentAction(normal)),
      rollback: rollback === null ? null : JSON.stringify(presentAction(rollback)).slice(0, -1),
    };
  });
  known.set(steps, parts);
  return parts;
}

function stepJson({ head, normal, rollback }: FixedParts, runs: StepRuns | undefined): string {
  // A task has one pair of runs per step, always; the type cannot say so.
  const { normal: run, rollback: undo } = runs as StepRuns;
  const output = run.output === null ? 'null' : JSON.stringify(run.output);
  const back = rollback === null || undo === null ? 'null' : `${rollback},${runMembers(undo)}}`;
  return `${head},${runMembers(run)},"output":${output},"normal":${normal},"rollback":${back}}`;
}

function runMembers(run: ActionRun): string {
  return (
    `"state":"${run.state}","code":${run.code},"message":${textJson(run.message)}` +
    `,"timeStart":${seconds(run.startedAt)},"timeEnd":${seconds(run.endedAt)}` +
    `,"attempts":${run.attempts}`
  );
}

function textJson(text: string | null): string {
  return text === null ? 'null' : JSON.stringify(text);
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : Math.floor(ms / 1_000);
}
