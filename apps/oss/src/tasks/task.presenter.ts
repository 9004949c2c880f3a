import {
  type ActionRun,
  isCaught,
  isOwedTask,
  itemNumber,
  type Scope,
  statusName,
  type StepPlan,
  type StepRuns,
  type Task,
} from '#core';
import { tallyAt, wholeTally } from '#core/children';
import { countWritten, declarationOf, kindOf } from '#core/flow';
import { readStoredJson } from '#core/json';
import { firstPlace, listNameOf, runIdOf, scopesOf, stepAt, stepsIn, TASK } from '#core/scopes';
import { maskSealed } from '#core/secrets';
import { type Approval, approvalsAsked, awaitedBy, type TaskSummary } from '#core/stored';
import { mergedParameters, outputAt, taskOutput } from '#core/values';
import { flatGraph, taskGraph } from '#kinds';
import { isUnreadable, type ListedTask, type UnreadableTask } from '#ports';
import { type HiddenIds, NONE_HIDDEN, withoutIds } from '../access/hidden-tasks.js';
import { newsAwaited } from './awaited-news.js';
import type { ProgressOf } from '../output/progress-view.js';
import { commonMembers, kindMembers, namesOfNeeds, presentAction } from './kind.presenter.js';
import type { Shown } from '../requests/shown.js';
import { seconds, standingMembers } from './standing.presenter.js';

/** The answer to the creator of a task, as JSON. */
export function receiptJson(task: Task): string {
  return `${receiptOf(task)}}`;
}

/**
 * A task as a list shows it, as JSON: no steps, parameters, outputs. `progress`: how far it is;
 * absent: nobody has said so.
 */
export function listedJson(item: ListedTask, progress?: Shown<'TaskProgress'>): string {
  if (isUnreadable(item)) return unreadableJson(item);
  return progress === undefined ? once(item, () => entryJson(item)) : entryJson(item, progress);
}

function entryJson(item: TaskSummary, progress?: Shown<'TaskProgress'>): string {
  return (
    `${receiptMembers(item)},"taskMessage":${jsonOrNull(item.message)},"taskCursor":${item.cursor}` +
    `,"timeStart":${seconds(item.startedAt)},"timeEnd":${seconds(item.endedAt)}` +
    `,"labels":${JSON.stringify(item.labels)},"priority":${item.priority}` +
    `,"revision":${item.revision},"wakeAt":${seconds(item.wakeAt)}` +
    `,"parent":${parentJson(item.parent)},"origin":${jsonOrNull(item.origin)}` +
    approvalsJson(item.approvals) +
    `,"awaits":${jsonOrNull(item.awaits)}` +
    `${progress === undefined ? '' : `,"progress":${JSON.stringify(progress)}`}}`
  );
}

/** Texts of objects: stores give the same object for a task that has not moved. */
const WRITTEN = new WeakMap<object, string>();
/** A longer text is not kept, in characters. */
const KEPT_MAX = 16_384;

function once(item: object, write: () => string): string {
  const known = WRITTEN.get(item);
  if (known !== undefined) return known;
  const json = write();
  if (json.length <= KEPT_MAX) WRITTEN.set(item, json);
  return json;
}

/** Most are null, and the built-in writer takes as long for that as for an object. */
function jsonOrNull(value: object | string | number | boolean | null): string {
  return value === null ? 'null' : JSON.stringify(value);
}

/** The entry in place of a task whose document cannot be read, as JSON. */
export function unreadableJson({ reason, taskId }: UnreadableTask): string {
  return JSON.stringify({ taskId, status: 'unreadable', reason });
}

/**
 * The whole task as JSON: camelCase, times in whole seconds since 1970. Written by hand, because
 * most of a task is its flow, which is the same text for all tasks of a version: making the same
 * from objects takes ten times as long. Secrets are masked, and so are `hidden` tasks.
 * `progressOf`: how far running attempts are; absent: nobody knows of any.
 */
export function taskJson(
  task: Task,
  hidden: HiddenIds = NONE_HIDDEN,
  progressOf?: ProgressOf,
): string {
  const write = (): string => {
    const json = withoutIds(wholeJson({ task, progressOf }, hidden), hidden);
    return task.hasSecrets ? maskSealed(json) : json;
  };
  return hidden.size === 0 && progressOf === undefined ? once(task, write) : write();
}

/** A task, and what its running attempts say of their progress. */
interface ShownTask {
  readonly task: Task;
  readonly progressOf?: ProgressOf | undefined;
}

function wholeJson(shown: ShownTask, hidden: HiddenIds): string {
  const { task } = shown;
  const { plan, revision } = task;
  const parent = hidden.has(plan.parent?.taskId ?? '') ? null : plan.parent;
  const cursor = Math.min(task.cursor, countWritten(plan.steps) - 1);
  const input = JSON.stringify(plan.parameters);
  const merged = mergedParameters(task);
  const parameters = merged === plan.parameters ? input : JSON.stringify(merged);
  return (
    `${receiptOf(task)},"taskMessage":${jsonOrNull(task.message)},"taskCursor":${cursor}` +
    `,"timeStart":${seconds(task.startedAt)},"timeEnd":${seconds(task.endedAt)}` +
    `,"input":${input},"parameters":${parameters},"labels":${JSON.stringify(plan.labels)}` +
    `,"priority":${plan.priority},"revision":${revision},"wakeAt":${seconds(task.wakeAt)}` +
    `,"output":${jsonOrNull(taskOutput(task))},"parent":${parentJson(parent)}` +
    `,"origin":${jsonOrNull(plan.origin ?? null)}` +
    approvalsJson(approvalsAsked(task)) +
    `,"awaits":${jsonOrNull(awaitedBy(task))}` +
    `,${standingMembers(task)}` +
    `,"steps":${stepsJson(shown, TASK)}}`
  );
}

/**
 * The steps as nodes and edges. They follow from the steps that `taskJson` shows, as drawings do.
 * No value of the task is in them, nor the id of another task.
 */
export function graphOf(task: Task): Shown<'TaskGraph'> {
  const steps = readStoredJson(stepsJson({ task }, TASK), 'the list of steps');
  return flatGraph(taskGraph(steps as Parameters<typeof taskGraph>[0])) as Shown<'TaskGraph'>;
}

/** The approvals that a task waits for; most tasks wait for none. */
function approvalsJson(approvals: readonly Approval[]): string {
  if (approvals.length === 0) return ',"approvals":[]';
  const shown = approvals.map(({ since, ...rest }) => ({ ...rest, since: seconds(since) }));
  return `,"approvals":${JSON.stringify(shown)}`;
}

/**
 * The parent of a task: the run of its step, and which of its child tasks this is. The task of a
 * failure flow is of no step.
 */
function parentJson(parent: TaskSummary['parent']): string {
  if (parent === null) return 'null';
  const { run, taskId } = parent;
  const step = isOwedTask(parent) ? null : run.slice(0, run.lastIndexOf('#'));
  return JSON.stringify({ taskId, step, index: itemNumber(parent) });
}

/** The tag of a task's revision. */
export function tagOf(task: Task): string {
  return `"${task.revision}"`;
}

function receiptOf({ plan, status }: Task): string {
  const { createdAt, flow, flowVersion, taskId } = plan;
  return receiptMembers({ createdAt, flow, flowVersion, taskId, status });
}

type Receipt = Pick<TaskSummary, 'taskId' | 'flow' | 'flowVersion' | 'status' | 'createdAt'>;

function receiptMembers({ createdAt, flow, flowVersion, status, taskId }: Receipt): string {
  return (
    `{"taskId":${JSON.stringify(taskId)},"flow":${JSON.stringify(flow)}` +
    `,"flowVersion":${flowVersion},"taskStatus":${status},"status":"${statusName(status)}"` +
    `,"timeCreate":${seconds(createdAt)}`
  );
}

/** The parts of a step that are the same in every task of its flow version, as JSON. */
interface FixedParts {
  /** Without the end, because what differs follows. */
  readonly head: string;
  /** The same with the identity of the step's first run, where it is one of the task's own. */
  readonly firstHead: string;
  /** The members that make the step, a rollback aside. */
  readonly kind: string;
  /** Without the end, because how it is doing follows; null: there is no rollback. */
  readonly rollback: string | null;
  /** It holds steps, or may be caught by steps: its scopes follow. */
  readonly hasScopes: boolean;
  readonly plan: StepPlan;
  /** Its output consists of the outputs of its steps. */
  readonly isHolder: boolean;
  /** Child tasks do its work. */
  readonly isParent: boolean;
}

const known = new WeakMap<readonly StepPlan[], readonly FixedParts[]>();

function fixedParts(steps: readonly StepPlan[]): readonly FixedParts[] {
  const found = known.get(steps);
  if (found !== undefined) return found;
  const parts = steps.map((step) => {
    const { work } = declarationOf(step);
    const isHolder = work === 'steps';
    const shown = { name: step.name, kind: kindOf(step), needs: namesOfNeeds(step, steps) };
    const head = JSON.stringify(shown).slice(0, -1);
    return {
      head,
      plan: step,
      firstHead: `${head},${identity(step.name, 1)}`,
      kind: JSON.stringify({ ...commonMembers(step, null), ...kindMembers(step, null) }).slice(
        1,
        -1,
      ),
      rollback: step.rollback ? JSON.stringify(presentAction(step.rollback)).slice(0, -1) : null,
      hasScopes: isHolder || step.catch !== undefined,
      isHolder,
      isParent: work === 'children',
    };
  });
  known.set(steps, parts);
  return parts;
}

function identity(id: string, generation: number): string {
  return `"id":${JSON.stringify(id)},"generation":${generation}`;
}

/** The steps of a scope. */
function stepsJson(shownTask: ShownTask, scope: number): string {
  const { task } = shownTask;
  const first = firstPlace(task, scope);
  const parts = fixedParts(stepsIn(task, scope));
  const written = countWritten(stepsIn(task, scope));
  const shown = parts.slice(0, written);
  return `[${shown.map((part, n) => stepJson(part, shownTask, first + n)).join(',')}]`;
}

function stepJson(fixed: FixedParts, shown: ShownTask, place: number): string {
  if (fixed.isParent) return parentStepJson(fixed, shown, place);
  const { task } = shown;
  const { firstHead, hasScopes, head, isHolder, kind, plan, rollback } = fixed;
  // A task has one pair of runs per step, always; the type cannot say so.
  const { generation, normal: run, rollback: undo } = task.runs[place] as StepRuns;
  const isFirst = generation === 1 && place < task.plan.steps.length;
  const first = isFirst ? firstHead : `${head},${identity(runIdOf(task, place), generation)}`;
  const given = hasScopes ? outputAt(task, place) : run.output;
  const output = given === null ? 'null' : JSON.stringify(given);
  const halfway = progressMember(shown, { place, direction: 'normal' });
  const members = `${runMembers(run)}${halfway}${newsMember(run, { plan, direction: 'normal' })}`;
  const step = `${first},${members}${valuesMember(run)},"output":${output},${kind}`;
  const scopes = hasScopes ? `,"scopes":${scopesJson(shown, place)}` : '';
  if (isHolder) return `${step}${scopes}}`;
  const hasUndo = rollback !== null && undo !== null;
  const back = hasUndo ? `${rollback},${undoMembers(undo, { shown, place, plan })}}` : 'null';
  return `${step},"rollback":${back}${scopes}}`;
}

/** A step whose work child tasks do; how they stand instead of them. */
function parentStepJson(fixed: FixedParts, shown: ShownTask, place: number): string {
  const { task } = shown;
  const { firstHead, hasScopes, head, kind } = fixed;
  const { generation, normal } = task.runs[place] as StepRuns;
  const isFirst = generation === 1 && place < task.plan.steps.length;
  const first = isFirst ? firstHead : `${head},${identity(runIdOf(task, place), generation)}`;
  const isWaiting = normal.state === 'running' && !isCaught(task, place);
  const run = isWaiting ? { ...normal, state: 'waiting' as const } : normal;
  const output = JSON.stringify(outputAt(task, place));
  const children = JSON.stringify(childrenOf(task, place));
  const step = `${first},${runMembers(run)},"output":${output},${kind},"children":${children}`;
  return hasScopes ? `${step},"scopes":${scopesJson(shown, place)}}` : `${step}}`;
}

function childrenOf(task: Task, place: number): object {
  const tally = tallyAt(task, place);
  const {
    active = 0,
    failed = 0,
    started = 0,
    succeeded = 0,
    total = 0,
  } = tally === null ? {} : wholeTally(tally);
  const below = task.scopes.findLast(({ holder, kind }) => holder === place && kind === 'children');
  return { total, started, succeeded, failed, active, way: below?.way ?? 'forward' };
}

/** The scopes that a step holds: of a group its present try, whose place each new one takes. */
function scopesJson(shown: ShownTask, place: number): string {
  const { task } = shown;
  const scopes = scopesOf(task, place).flatMap((number) => {
    // They were found by their numbers; the type cannot say so.
    const scope = task.scopes[number] as Scope;
    const { kind, way } = scope;
    if (kind === 'children') return [];
    const name = JSON.stringify(listNameOf(task, scope));
    return `{"kind":"${kind}","name":${name},"way":"${way}","steps":${stepsJson(shown, number)}}`;
  });
  return `[${scopes.join(',')}]`;
}

function runMembers(run: ActionRun): string {
  return (
    `"state":"${run.state}","code":${run.code},"message":${jsonOrNull(run.message)}` +
    `,"timeStart":${seconds(run.startedAt)},"timeEnd":${seconds(run.endedAt)}` +
    `,"attempts":${run.attempts}`
  );
}

/** The place of a step in a task that is shown. */
interface StepPlace {
  readonly shown: ShownTask;
  readonly place: number;
  readonly plan: StepPlan;
}

function undoMembers(undo: ActionRun, { place, plan, shown }: StepPlace): string {
  const direction = 'rollback';
  const halfway = progressMember(shown, { place, direction });
  const news = newsMember(undo, { plan, direction });
  return `${runMembers(undo)}${halfway}${news}${valuesMember(undo)}`;
}

/** How far a running action is, where it has said so. */
function progressMember(
  { progressOf, task }: ShownTask,
  { direction, place }: { readonly direction: 'normal' | 'rollback'; readonly place: number },
): string {
  const run = task.runs[place]?.[direction];
  if (progressOf === undefined || !run?.lease) return '';
  const { taskId } = task.plan;
  const step = stepAt(task, place)?.name ?? '';
  const id = runIdOf(task, place);
  const progress = progressOf({ taskId, step, run: id, direction, attempt: run.attempts });
  return progress === null ? '' : `,"progress":${JSON.stringify(progress)}`;
}

/** The news that an action waits for, where it does. */
function newsMember(run: ActionRun, half: Parameters<typeof newsAwaited>[1]): string {
  const news = newsAwaited(run, half);
  return news === null ? '' : `,"waitsFor":"${news}"`;
}

/** The values of an action's expressions, where it has some. */
function valuesMember({ values }: ActionRun): string {
  return values === null ? '' : `,"values":${JSON.stringify(values)}`;
}
