import type { JsonObject } from '#core';
import type { BarrierContext, TaskMarks } from '#ports';

/** A database instance to make. The names of its schema and of its user follow from `instance`. */
export interface InstanceSpec {
  readonly instance: string;
  readonly role: string | null;
  /** Largest number of connections its user may have at a time. */
  readonly connections: number;
  /** GiB; null where the task does not say. */
  readonly memory: number | null;
  readonly storage: number | null;
}

/** The task and the run that made an instance. */
export type Owner = Pick<BarrierContext, 'taskId' | 'run'>;

/** An instance, and the run that made it. */
export interface MadeInstance {
  readonly instance: string;
  readonly run: string;
}

/** The attempt that works on an instance. */
export interface Attempt extends BarrierContext {
  readonly signal: AbortSignal;
}

/**
 * The description of an instance for later steps. It never has the password: `credentials` says
 * where that is.
 */
export interface InstanceDescription extends JsonObject {
  readonly instance: string;
  readonly schema: string;
  readonly user: string;
  readonly endpoint: string;
  readonly credentials: string;
  readonly provider: string;
}

/**
 * Makes and removes database instances. Whatever an attempt does happens once however often it is
 * repeated, and not at all once the step was undone.
 */
export interface InstanceProvider {
  /** The marks that the barrier keeps. */
  readonly marks: TaskMarks;
  /** Makes an instance. Throws `InstanceTaken`. */
  init(attempt: Attempt, spec: InstanceSpec): Promise<InstanceDescription>;
  /**
   * Removes what `init` of the same step made, also where its outcome is unknown; never another's.
   */
  undoInit(attempt: Attempt): Promise<void>;
  /** Removes an instance with its data, also one of another task; returns whether there was one. */
  clean(attempt: Attempt, instance: string): Promise<boolean>;
  /** The instances there are that a task has made. */
  madeBy(taskId: string): Promise<readonly MadeInstance[]>;
  close(): Promise<void>;
}

/** The name belongs to an instance that another task made. */
export class InstanceTaken extends Error {
  override readonly name = 'InstanceTaken';

  constructor(instance: string) {
    super(`instance ${instance} exists already`);
  }
}
