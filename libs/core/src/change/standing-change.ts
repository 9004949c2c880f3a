import type { Turn } from '../task/scope.js';
import { assertTaskMove } from '../task/states.js';
import {
  type Hold,
  type Pause,
  type Standing,
  statusOf,
  type TaskOutcome,
  type TaskStatus,
  type Way,
} from '../task/status.js';
import type { Task } from '../task/task.js';

/** How a task stands on its way to its next document: in what direction, on hold, paused, ended. */
export class StandingChange implements Standing {
  way: Way;
  turned: Turn | null;
  hold: Hold | null;
  paused: Pause | null;
  outcome: TaskOutcome | null;
  startedAt: number | null;
  message: string | null;
  resetAt: number | null;
  endedAt: number | null;

  constructor(
    base: Task,
    private readonly now: number,
  ) {
    this.way = base.way;
    this.turned = base.turned;
    this.hold = base.hold;
    this.paused = base.paused;
    this.outcome = base.outcome;
    this.startedAt = base.startedAt;
    this.message = base.message;
    this.resetAt = base.resetAt;
    this.endedAt = base.endedAt;
  }

  /** Public status of the task as it stands by now. */
  get status(): TaskStatus {
    return statusOf(this);
  }

  /** The first action of the task was started. */
  begin(): void {
    const { status } = this;
    this.startedAt = this.now;
    // Also while it is on hold, which asks for a person all the same.
    if (status !== this.status) assertTaskMove(status, this.status);
  }

  /**
   * From now on the task goes back, also where it had ended or went back less far; one that is
   * paused does so once it is resumed.
   */
  turn(turned: Turn): void {
    const { status } = this;
    this.way = 'back';
    this.turned = turned;
    this.reopen();
    this.message = turned.message;
    // Also while it is on hold, as a scope of it went back, or paused.
    if (status !== this.status) assertTaskMove(status, this.status);
  }

  /** From now on the task goes forward again. */
  turnForward(): void {
    const { status } = this;
    this.way = 'forward';
    this.turned = null;
    this.reopen();
    this.message = null;
    this.resetAt = this.now;
    assertTaskMove(status, this.status);
  }

  private reopen(): void {
    this.outcome = null;
    this.endedAt = null;
  }

  /** Lets the task start nothing more; null: lets it start again what is ready. */
  pause(paused: Pause | null): void {
    const { status } = this;
    this.paused = paused;
    assertTaskMove(status, this.status);
  }

  /** Lets the task wait for a person. */
  putOnHold(hold: Hold, message: string): void {
    const { status } = this;
    this.hold = hold;
    this.message = message;
    assertTaskMove(status, this.status);
  }

  /** Lets the task go on in its direction. It says again why it turned, not why it waited. */
  endHold(): void {
    const { status } = this;
    this.hold = null;
    this.message = this.turned?.message ?? null;
    assertTaskMove(status, this.status);
  }

  /** Ends the task for good; a hold ends with it. */
  endTask(outcome: TaskOutcome): void {
    const { status } = this;
    this.hold = null;
    this.paused = null;
    this.outcome = outcome;
    this.endedAt = this.now;
    assertTaskMove(status, this.status);
  }
}
