/**
 * An attempt that may not have an effect any more. The engine drops its result: the task has moved
 * on.
 */
export abstract class BarrierRefusal extends Error {}

/** An attempt with a newer fencing token has been here: this one lost the right to run. */
export class StaleToken extends BarrierRefusal {
  override readonly name = 'StaleToken';

  constructor(token: number, seen: number) {
    super(`fencing token ${token} is older than ${seen}: a newer attempt has taken over`);
  }
}

/** The rollback of this step came first: an effect now would never be undone. */
export class Superseded extends BarrierRefusal {
  override readonly name = 'Superseded';

  constructor(taskId: string, run: string) {
    super(`step ${run} of task ${taskId} was rolled back: it must not happen any more`);
  }
}
