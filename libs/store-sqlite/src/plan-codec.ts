import { createHash } from 'node:crypto';
import { DocumentFault, readStoredJson, readList, type StepPlan, type TaskPlan } from '#core';

type PlanRow = readonly [
  v: 1,
  taskId: string,
  flow: string,
  flowVersion: number,
  createdAt: number,
  parameters: TaskPlan['parameters'],
  labels: TaskPlan['labels'],
  priority: number,
  idempotencyKey: string | null,
  requestHash: string | null,
  deadline: number | null,
  traceparent: string | null,
  /** Absent: `rollback`. */
  onFailure?: TaskPlan['onFailure'],
  /** Absent: null. */
  restartOf?: string | null,
  /** Absent: null. */
  constants?: TaskPlan['constants'],
  /** Absent: null. */
  parent?: TaskPlan['parent'],
  /** Absent: null. */
  locks?: TaskPlan['locks'],
  /** Absent: null. */
  failureFlow?: TaskPlan['failureFlow'],
  /** Absent, or null before another member: the same. */
  only?: TaskPlan['only'] | null,
  /** Absent, or null before another member: the same. */
  references?: TaskPlan['references'] | null,
  /** Absent: the same. */
  limits?: TaskPlan['limits'] | null,
  /** Absent: the same. */
  starter?: TaskPlan['starter'],
];

/** JSON text of a plan without its steps. */
export function encodePlan(plan: TaskPlan): string {
  const row: PlanRow = [
    plan.v,
    plan.taskId,
    plan.flow,
    plan.flowVersion,
    plan.createdAt,
    plan.parameters,
    plan.labels,
    plan.priority,
    plan.idempotencyKey,
    plan.requestHash,
    plan.deadline,
    plan.traceparent,
    plan.onFailure,
    plan.restartOf,
    plan.constants,
    plan.parent,
    plan.locks,
    plan.failureFlow,
    plan.only,
    plan.references,
    plan.limits,
    plan.starter,
  ];
  let { length } = row;
  while (length > 0 && isAbsent(row[length - 1])) length -= 1;
  return JSON.stringify(row.slice(0, Math.max(length, ALWAYS)));
}

/** Members that every row has, however little they say. */
const ALWAYS = 12;

/** Whether a member says nothing, so that a row ends before it. */
function isAbsent(member: PlanRow[number]): boolean {
  return member === null || member === undefined || member === 'rollback';
}

/** The plan that a text and its steps stand for. */
export function decodePlan(text: string, steps: readonly StepPlan[]): TaskPlan {
  const [v, taskId, flow, flowVersion, createdAt, parameters, labels, ...more] = readList(
    readStoredJson(text, 'its plan') as readonly unknown[],
    'its plan',
  ) as unknown as PlanRow;
  const [priority, idempotencyKey, requestHash, deadline, traceparent, ...rest] = more;
  const [onFailure, restartOf, constants, parent, locks, failureFlow, only, ...last] = rest;
  const [references, limits, starter] = last;
  return {
    v,
    taskId,
    flow,
    flowVersion,
    createdAt,
    parameters,
    labels,
    priority,
    idempotencyKey,
    requestHash,
    deadline,
    traceparent,
    onFailure: onFailure ?? 'rollback',
    constants: constants ?? null,
    restartOf: restartOf ?? null,
    parent: parent ?? null,
    locks: locks ?? null,
    failureFlow: failureFlow ?? null,
    ...(only && { only }),
    ...(references && { references }),
    ...(limits && { limits }),
    ...(starter && { starter }),
    steps,
  };
}

/** The steps of one flow version: written once, however many tasks have them. */
interface KnownSteps {
  readonly key: string;
  readonly text: string;
}

/**
 * The step plans that this process has met. A flow version's steps are one object for all of its
 * tasks, so they are known by identity and turned into text once; what is read back becomes the
 * same object again.
 */
export class StepShelf {
  readonly #bySteps = new WeakMap<readonly StepPlan[], KnownSteps>();
  readonly #byKey = new Map<string, readonly StepPlan[]>();
  /** Keys without anything stored that could be read. */
  readonly #lost = new Set<string>();

  /** Key and text of steps. */
  describe(steps: readonly StepPlan[]): KnownSteps {
    const known = this.#bySteps.get(steps);
    if (known !== undefined) return known;
    const text = JSON.stringify(steps);
    const key = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    const described = { key, text };
    this.#bySteps.set(steps, described);
    return described;
  }

  /** Whether steps of this key are stored for certain. */
  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Whether it has been found out what is stored under the key. */
  knows(key: string): boolean {
    return this.#byKey.has(key) || this.#lost.has(key);
  }

  /** Notes that these steps are stored. */
  add(key: string, steps: readonly StepPlan[]): void {
    if (!this.#byKey.has(key)) this.#byKey.set(key, steps);
    this.#lost.delete(key);
  }

  /** Notes what is stored under a key; null: nothing. */
  read(key: string, text: string | null): void {
    try {
      const steps = readStoredJson(text, 'its steps') as readonly StepPlan[];
      this.add(key, readList(steps, 'its steps'));
    } catch {
      this.#lost.add(key);
    }
  }

  /** The steps with this key. Throws `DocumentFault` where they could not be read. */
  get(key: string): readonly StepPlan[] {
    const steps = this.#byKey.get(key);
    if (steps === undefined) throw new DocumentFault('its steps are not JSON, or missing');
    return steps;
  }
}
