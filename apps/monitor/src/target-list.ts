import type { BarrierContext, TaskMarks } from '#ports';

/** One thing to watch. */
export interface Target {
  readonly instance: string;
  /** Host and port. */
  readonly target: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Another task's step watches an instance of that name. */
export class TargetTaken extends Error {
  override readonly name = 'TargetTaken';

  constructor(instance: string, taskId: string) {
    super(`instance ${instance} is watched already, for task ${taskId}`);
  }
}

/**
 * The targets of Prometheus. Changes are made behind a barrier; a file for Prometheus follows every
 * change, also one that was a repetition, so that a crash in between is repaired by the next
 * attempt. May throw `StoreUnavailable`.
 */
export interface TargetList {
  /** The marks that the barrier keeps. */
  readonly marks: TaskMarks;
  /**
   * Starts to watch. A target belongs to the step of the task that added it: throws `TargetTaken`
   * where another one watches an instance of that name.
   */
  add(context: BarrierContext, targets: readonly Target[]): Promise<void>;
  /** Undoes `add` of the same step; nothing of another's. */
  undoAdd(context: BarrierContext): Promise<void>;
  /** Stops watching, also for additions of other tasks; returns the instances that were watched. */
  remove(context: BarrierContext, instances: readonly string[]): Promise<readonly string[]>;
  /** Undoes `remove` of the same step. */
  undoRemove(context: BarrierContext): Promise<void>;
  /** Everything that is watched, by the names of instances. */
  list(): Promise<readonly Target[]>;
}

/** A group of targets as Prometheus reads it, from a file and over HTTP. */
export interface TargetGroup {
  readonly targets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/** Each target is a group of its own, because its labels are. */
export function groupsOf(targets: readonly Target[]): readonly TargetGroup[] {
  return targets.map(({ labels, target }) => ({ targets: [target], labels }));
}
