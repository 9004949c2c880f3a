import type { Outcome, Task } from '#core';
import type { CommandContext } from '#ports';
import type { Stored } from '../store-server.js';
import type { World } from '../world.js';
import { isCommand } from './followed.js';
import { newEntries } from './new-entries.js';
import { isAbout, pairsOf } from './pairs.js';

/** The stored outcome of an attempt is the one that its command gave, if it gave any. */
export class OutcomeCheck {
  /** By task and token. */
  private readonly outcomes = new Map<string, Outcome['kind'] | 'said nothing'>();

  constructor(private readonly world: World) {}

  /** A command starts. */
  began({ fencingToken, taskId }: CommandContext): void {
    this.outcomes.set(`${taskId} ${fencingToken}`, 'said nothing');
  }

  /** A command answered. */
  ended({ fencingToken, taskId }: CommandContext, { kind }: Outcome): void {
    this.outcomes.set(`${taskId} ${fencingToken}`, kind);
  }

  look({ task }: Stored, before: Task | null): void {
    const { taskId } = task.plan;
    const added = newEntries(task, before);
    for (const { after, before: old, direction, step } of pairsOf(task, before)) {
      if (old?.lease === null || old?.lease === undefined || old.state !== 'running') continue;
      const said = this.outcomes.get(`${taskId} ${old.lease.token}`);
      // A run whose failure was caught has gone on since by the steps of its clause.
      if (said === undefined || !isCommand(task, direction, step)) continue;
      const isNoted = (kind: string): boolean =>
        added.some((entry) => {
          return entry.kind === kind && entry.direction === direction && isAbout(entry, task, step);
        });
      const what = `${taskId}: ${direction} of step ${step}`;
      // Another system may be quicker than the command that left it to them.
      const isCompleted = added.some(
        ({ actor, kind }) => kind === 'succeeded' && actor !== undefined,
      );
      if (after.state === 'succeeded' && said !== 'succeeded' && !isCompleted) {
        this.world.violate('I15', `${what} succeeded; its command ${said}`);
      }
      // A worker may find no gateway in its time.
      const { terms, token } = old.lease;
      const isTold = terms === undefined || task.reports.some((report) => report.token === token);
      if (!isTold) continue;
      if (said === 'succeeded' && after.state !== 'succeeded' && isNoted('failed')) {
        this.world.violate('I15', `${what} failed; its command succeeded`);
      }
    }
  }
}
