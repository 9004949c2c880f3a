import { ALERT_RUN, type Task } from '#core';
import { clockErrorMs } from '../scenario.js';
import type { Stored, StoreServer } from '../store-server.js';
import type { World } from '../world.js';

/** Least time between alert tasks of a task: these repeats are set to come more rarely. */
const ALERT_GAP_MS = 10_000;

/** Alert tasks beside the tasks they are about, as the store has them. */
export class AlertCheck {
  constructor(
    private readonly world: World,
    private readonly server: StoreServer,
  ) {}

  look({ at, task }: Stored, before: Task | null): void {
    const { alert, hold, plan } = task;
    if (hold?.why === 'rollback_failed' && (alert?.dueAt ?? null) === null) {
      this.fail(task, 'its rollback failed, and nobody is to be called');
    }
    if (plan.parent?.run === ALERT_RUN) this.lookAtCall(task, before);
    if (alert === null || alert === before?.alert) return;
    const told = before?.alert ?? null;
    if (alert.taskId !== null && !this.server.tasks.has(alert.taskId)) {
      this.fail(task, `${alert.taskId} counts as stored, and is not`);
    }
    // Either time may be of a clock that is wrong.
    const gap = at - (told?.sentAt ?? -Infinity) + 2 * clockErrorMs(this.world.scenario);
    const isNext = alert.number !== (told?.number ?? 0);
    if (isNext && gap < ALERT_GAP_MS) this.fail(task, `an alert came ${gap} ms after the last one`);
  }

  private lookAtCall(task: Task, before: Task | null): void {
    if (task.alert !== null) this.fail(task, 'calls a person, and wants one called itself');
    if (before === null) {
      const about = this.server.tasks.get(task.plan.parent?.taskId ?? '');
      const isOwed = about?.journal.entries().some(({ kind }) => kind === 'alert_raised') === true;
      if (!isOwed) this.fail(task, 'began, and no rollback of its parent had failed');
    } else if (before.outcome === null && task.outcome !== null) {
      const isAsked = task.journal.entries().some(({ kind }) => kind === 'rollback_requested');
      const isGivenUp = task.outcome === 'rolled_back' && !isAsked;
      if (isGivenUp) this.fail(task, 'was given up, and nobody was called');
      this.world.see(task.outcome === 'succeeded' ? 'alert delivered' : 'alert ended early');
    }
  }

  private fail({ plan, revision }: Task, message: string): void {
    this.world.violate('I13', `${plan.taskId} r${revision}: ${message}`);
  }
}
