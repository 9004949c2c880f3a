import type { Clock, FinalStore, Observer, TaskMarks } from '#ports';
import { Loop, pauseOfPass } from './loop.js';

/** The parts that a sweep of marks works with. */
interface SweepParts {
  /** Where the executors of this process keep marks. */
  readonly marks: () => Promise<readonly TaskMarks[]>;
  readonly finals: Pick<FinalStore, 'findPresent'>;
  /** The time of marks. */
  readonly clock: Clock;
  readonly observer: Observer;
  /** How long marks are kept at least since they were last touched, in milliseconds. */
  readonly keptMs: number;
}

/**
 * Has barriers forget the marks of tasks that retention has removed, in passes over the old ones.
 * That the store has no such task says that nobody can act on it any more; the age of the mark says
 * that no attempt of it is still on its way. Any number of processes may do so at once.
 */
export class MarkSweep {
  private readonly loop: Loop;
  private isFailing = false;
  private total = 0;

  constructor(private readonly parts: SweepParts) {
    const intervalMs = pauseOfPass(parts.keptMs);
    const work = { name: 'mark_sweep', intervalMs, tick: () => this.tick() };
    this.loop = new Loop(work, parts.clock, parts.observer);
  }

  /** How many marks this process has had forgotten. */
  get forgotten(): number {
    return this.total;
  }

  async start(): Promise<void> {
    this.loop.start();
  }

  /** Waits for the pass in hand. Safe to call twice and before start. */
  stop(): Promise<void> {
    return this.loop.stop();
  }

  /**
   * One pass: resolves to the number of marks forgotten. Never rejects: what fails is noticed once,
   * and done again in the next pass.
   */
  async tick(): Promise<number> {
    const from = this.total;
    try {
      for (const marks of await this.parts.marks()) await this.pass(marks);
      this.isFailing = false;
    } catch (error) {
      this.tell(error);
    }
    const forgotten = this.total - from;
    if (forgotten > 0) this.sayForgotten(forgotten);
    return forgotten;
  }

  private async pass(marks: TaskMarks): Promise<void> {
    const { clock, finals, keptMs } = this.parts;
    const before = clock.now() - keptMs;
    for await (const taskIds of marks.oldTasks(before)) {
      const present = await finals.findPresent(taskIds);
      const gone = taskIds.filter((taskId) => !present.has(taskId));
      if (gone.length > 0) this.total += await marks.forget(gone, before);
    }
  }

  private sayForgotten(count: number): void {
    const marks = count === 1 ? '1 mark' : `${count} marks`;
    const message = `barriers forgot ${marks} of tasks that were removed`;
    this.parts.observer.noticed({ level: 'info', name: 'marks_forgotten', message });
  }

  private tell(error: unknown): void {
    if (this.isFailing) return;
    this.isFailing = true;
    const message = 'marks of removed tasks could not be removed; the next round tries again';
    this.parts.observer.noticed({ level: 'warn', name: 'mark_sweep_failed', message, error });
  }
}
