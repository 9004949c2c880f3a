import { DocumentFault, isObject } from '#core/json';
import { ownersOf } from '#core/read';
import { stepAt } from '#core/scopes';
import {
  APPROVAL,
  awaitedText,
  checkTask,
  type Codec,
  codecOf,
  PLAN,
  RUNS,
  searchTermsOf,
  type Stored,
  TASK_FORM,
  waitsAsked,
} from '#core/stored';
import type { StepRuns, Task, TaskPlan } from '#core';
import { labelsToTexts, textsToLabels } from './labels.js';
import type { StepLists, StepsDocument } from './plan-document.js';
import { DOCUMENTS, roomIn } from './task-medium.js';
import { writerToText } from './writers.js';

/**
 * A task as stored: a document that people read and query in any tool. Its members are those of
 * `TASK_FORM`, as far as they say something. Of its plan, what is searched for stands beside it.
 */
export interface TaskDocument extends Stored<Omit<Task, 'plan' | 'runs' | 'index'>> {
  readonly _id: string;
  readonly flow: string;
  readonly status: number;
  readonly revision: number;
  readonly message?: string;
  readonly createdAt: Date;
  /** Absent once the task is final, so that its index holds live tasks only. */
  readonly wakeAt?: Date;
  /**
   * When it changed notably last, by the server's clock: of a commit at the very write, of an
   * insert right before it. Absent: that was before there was this member.
   */
  readonly changedAt?: Date;
  /** Absent: none. `KeyRecords` keeps whose it is. */
  readonly idempotencyKey?: string;
  /** Sessions that hold running actions; absent where nothing runs, so that its index is small. */
  readonly owners?: readonly string[];
  /** With its origin; absent: none, so that its index holds tasks alone that have some. */
  readonly labels?: readonly string[];
  /** Absent: it is nobody's child. */
  readonly parent?: TaskPlan['parent'];
  /** Approvals; absent: it waits for no person, so that its index holds tasks alone that do. */
  readonly waits?: readonly object[];
  /** The event without which it does not go on, as lists show it; absent: it goes on. */
  readonly awaits?: string;
  /** As `searchTermsOf` gives them; absent: the task has ended. */
  readonly terms?: readonly string[];
  /** The runs by their places. */
  readonly steps: readonly StepDocument[];
  readonly plan: PlanDocument;
  /**
   * Of the newest revision whose message carries the document: the hash of its text there. Any
   * other revision has another text, so it need not be taken away.
   */
  readonly snapshotHash?: string;
  /** The writers of the last few revisions. */
  readonly writers: readonly string[];
}

/** The part of the plan that is never searched for. Written once; its steps are JSON text. */
interface PlanDocument extends StepsDocument, Omit<Stored<TaskPlan>, 'steps'> {}

/** Everything of a task that is written under its own name, whole when it has changed. */
export const MEMBERS: Codec<Task> = codecOf(TASK_FORM, DOCUMENTS, ['plan', 'runs']);

const PLANS = codecOf(PLAN, DOCUMENTS);
const WAITS = codecOf(APPROVAL, DOCUMENTS);
const STEPS = codecOf(RUNS, DOCUMENTS);

/** A step as stored; its name is there for people and their queries. */
interface StepDocument extends Omit<Stored<StepRuns>, 'normal'> {
  readonly name: string;
  /** State of its normal action. */
  readonly state: string;
  /** Everything else of its normal action; absent: it has not begun. */
  readonly normal?: { readonly output?: unknown };
}

const PENDING = { state: 'pending' };

/** Stored form of a new task. */
export function taskToDocument(task: Task, mark: string, lists: StepLists): TaskDocument {
  const { plan } = task;
  const room = roomIn(task);
  const {
    taskId: _id,
    flow,
    createdAt,
    labels: _labels,
    parent,
    idempotencyKey,
    ...rest
  } = PLANS.write(plan, room);
  const owners = ownersOf(task);
  const waits = waitsToDocument(task);
  const awaits = awaitedText(task);
  const terms = searchTermsOf(task);
  const texts = labelsToTexts(plan);
  return {
    _id: _id as TaskDocument['_id'],
    flow: flow as TaskDocument['flow'],
    createdAt: createdAt as TaskDocument['createdAt'],
    ...(MEMBERS.write(task, room) as Pick<TaskDocument, 'status' | 'revision'>),
    ...(idempotencyKey !== undefined && { idempotencyKey: idempotencyKey as string }),
    ...(owners.length > 0 && { owners }),
    ...(texts.length > 0 && { labels: texts }),
    ...(parent !== undefined && { parent: parent as TaskPlan['parent'] }),
    ...(waits !== undefined && { waits }),
    ...(awaits !== null && { awaits }),
    ...(terms.length > 0 && { terms }),
    steps: task.runs.map((_, place) => stepToDocument(task, place)),
    // A spread that grows is slow on Node 20.
    plan: Object.assign({}, rest, lists.toDocument(plan.steps)),
    writers: [writerToText({ revision: task.revision, mark })],
  };
}

/** Stored form of what a task waits for persons to do; undefined: it waits for none. */
export function waitsToDocument(task: Task): readonly object[] | undefined {
  return waitsAsked(task)?.map((approval) => WAITS.write(approval, 0));
}

/** The approvals that a document waits for; anybody may have written them. */
export function documentToWaits({ waits = [] }: TaskDocument): unknown {
  return Array.isArray(waits) ? waits.map((wait) => WAITS.read(wait, 0)) : waits;
}

/** The plan behind a document but for its steps. Throws `DocumentFault`. */
export function documentToPlan(document: TaskDocument): TaskPlan {
  const { _id: taskId, createdAt, flow, idempotencyKey, labels, parent, plan } = document;
  const format: unknown = plan?.v;
  if (format !== 1) {
    const shown = typeof format === 'number' ? `the unknown format ${format}` : 'no format';
    throw new DocumentFault(`its plan has ${shown}`);
  }
  const searched = { taskId, createdAt, flow, idempotencyKey, parent };
  return PLANS.read({ labels: textsToLabels(labels), ...plan, ...searched }, 0);
}

/**
 * The task behind its stored form. Throws `DocumentFault`, or whatever its parts throw, where there
 * is none.
 */
export function documentToTask(document: TaskDocument, lists: StepLists): Task {
  const { steps } = document;
  return checkTask({
    ...MEMBERS.read(document, 0),
    plan: { ...documentToPlan(document), steps: lists.fromDocument(document.plan) },
    // The check finds out that it is no list.
    runs: Array.isArray(steps) ? steps.map(documentToRuns) : steps,
  } as Task);
}

/** Stored form of the step at a place of the task. */
export function stepToDocument(task: Task, place: number): StepDocument {
  const { normal = PENDING, ...rest } = STEPS.write(task.runs[place] as StepRuns, roomIn(task));
  const { state, ...more } = normal as { readonly state: string };
  const name = stepAt(task, place)?.name ?? '';
  for (const _ in more) return { name, state, normal: more, ...rest };
  return { name, state, ...rest };
}

/** Stored form of the rollback of the step at a place. */
export function rollbackToDocument(task: Task, place: number): unknown {
  return STEPS.writeMember(task.runs[place] as StepRuns, 'rollback', roomIn(task));
}

/** Both halves of a step behind its stored form, which anybody may have written. */
function documentToRuns(document: unknown): StepRuns {
  if (!isObject(document)) return document as StepRuns;
  const { normal = {}, state, ...rest } = document;
  return STEPS.read({ normal: isObject(normal) ? { state, ...normal } : normal, ...rest }, 0);
}
