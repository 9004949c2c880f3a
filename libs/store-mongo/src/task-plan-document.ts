import {
  DocumentFault,
  type OnlyStep,
  readStoredJson,
  readList,
  type TaskPlan,
  type TaskStarter,
} from '#core';
import {
  fromSafeOrNull,
  toDateOrNull,
  toJson,
  toMs,
  toMsOrNull,
  toSafeOrNull,
} from './bson-values.js';
import { textsToLabels } from './labels.js';
import type { StepLists, StepsDocument } from './plan-document.js';
import type { TaskDocument } from './task-document.js';

/** The part of the plan that is never searched for. Written once. */
export interface PlanDocument extends StepsDocument {
  readonly v: 1;
  readonly flowVersion: number;
  readonly deadline: Date | null;
  /** JSON text. */
  readonly parameters: string;
  readonly priority: number;
  readonly requestHash: string | null;
  readonly traceparent: string | null;
  /** Absent: `rollback`. */
  readonly onFailure?: TaskPlan['onFailure'];
  /** Absent: null. */
  readonly restartOf?: string;
  /** JSON text; absent: null. */
  readonly constants?: string;
  /** JSON text; absent: null. */
  readonly locks?: string;
  /** Absent: null. */
  readonly failureFlow?: string;
  /** JSON text; absent: the same. */
  readonly only?: string;
  /** Absent: the same. */
  readonly references?: readonly string[];
  /** JSON text; absent: the same. */
  readonly limits?: string;
  readonly starter?: string;
}

/** Throws `DocumentFault` for a plan of a format that this version does not know. */
export function assertFormat(plan: PlanDocument): void {
  const format: unknown = plan?.v;
  if (format === 1) return;
  const shown = typeof format === 'number' ? `the unknown format ${format}` : 'no format';
  throw new DocumentFault(`its plan has ${shown}`);
}

/** Stored form of what is never searched for. */
export function planToDocument(plan: TaskPlan, lists: StepLists): PlanDocument {
  return {
    v: plan.v,
    flowVersion: plan.flowVersion,
    deadline: toDateOrNull(plan.deadline),
    parameters: JSON.stringify(plan.parameters),
    priority: plan.priority,
    requestHash: toSafeOrNull(plan.requestHash),
    traceparent: plan.traceparent,
    ...(plan.onFailure === 'rollback' ? {} : { onFailure: plan.onFailure }),
    ...(plan.restartOf === null ? {} : { restartOf: plan.restartOf }),
    ...(plan.constants === null ? {} : { constants: JSON.stringify(plan.constants) }),
    ...(plan.locks === null ? {} : { locks: JSON.stringify(plan.locks) }),
    ...(plan.failureFlow === null ? {} : { failureFlow: plan.failureFlow }),
    ...(plan.only === undefined ? {} : { only: JSON.stringify(plan.only) }),
    ...(plan.references === undefined ? {} : { references: plan.references }),
    ...(plan.limits === undefined ? {} : { limits: JSON.stringify(plan.limits) }),
    ...(plan.starter === undefined ? {} : { starter: JSON.stringify(plan.starter) }),
    ...lists.toDocument(plan.steps),
  };
}

/** The plan behind its stored form. Throws `DocumentFault`. */
export function documentToPlan(document: TaskDocument, lists: StepLists): TaskPlan {
  const { plan } = document;
  assertFormat(plan);
  return {
    v: plan.v,
    taskId: document._id,
    flow: document.flow,
    flowVersion: plan.flowVersion,
    createdAt: toMs(document.createdAt),
    parameters: toJson(plan.parameters, 'plan.parameters') ?? {},
    labels: textsToLabels(document.labels),
    priority: plan.priority,
    idempotencyKey: fromSafeOrNull(document.idempotencyKey ?? null),
    requestHash: fromSafeOrNull(plan.requestHash),
    deadline: toMsOrNull(plan.deadline),
    traceparent: plan.traceparent,
    onFailure: plan.onFailure ?? 'rollback',
    constants: toJson(plan.constants ?? null, 'plan.constants'),
    restartOf: plan.restartOf ?? null,
    parent: document.parent ?? null,
    locks: plan.locks === undefined ? null : readLocks(plan.locks),
    failureFlow: plan.failureFlow ?? null,
    ...(plan.only !== undefined && { only: readOnly(plan.only) }),
    ...(plan.references !== undefined && { references: plan.references }),
    ...(plan.limits !== undefined && { limits: readLimits(plan.limits) }),
    ...(plan.starter !== undefined && { starter: readStarter(plan.starter) }),
    steps: lists.fromDocument(plan),
  };
}

function readStarter(text: string): TaskStarter {
  return readStoredJson(text, 'plan.starter') as TaskStarter;
}

function readOnly(text: string): OnlyStep {
  return readStoredJson(text, 'plan.only') as OnlyStep;
}

function readLimits(text: string): NonNullable<TaskPlan['limits']> {
  return readStoredJson(text, 'plan.limits') as NonNullable<TaskPlan['limits']>;
}

function readLocks(text: string): NonNullable<TaskPlan['locks']> {
  return readList(
    readStoredJson(text, 'plan.locks') as NonNullable<TaskPlan['locks']>,
    'plan.locks',
  );
}
