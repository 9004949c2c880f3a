import type { Task } from '#core';
import { actionOf, openActions } from '#core/scopes';
import {
  ADMISSION,
  type AdmittedAction,
  allOf,
  isUnreadable,
  type ModuleLimit,
  recordsOf,
  type RecordStore,
  type TaskAction,
  TaskUnreadable,
  type WaitingAction,
} from '#ports';
import type { Admissions } from './admissions.js';
import { isInHand, messageFor } from './dispatched.js';
import { LIMITS_KNOWN_FOR_MS, type ModuleLimits } from './module-limits.js';
import type { EngineParts } from './parts.js';
import { WaitingActions } from './waiting-actions.js';

/** How often a process reads the limits of modules, in milliseconds. */
export const LIMITS_EVERY_MS = 2_000;

/** Reads of the limits for each look at everything that is admitted. */
const LOOK_EVERY = 5;

/** A task that is not there so long after it was admitted was removed, in milliseconds. */
const GONE_AFTER_MS = 60_000;

/** Tasks that are read at a time. */
const AT_ONCE = 50;

/** An action that runs, and the revision that shows it. */
type Running = TaskAction & { readonly revision: number };

/**
 * Looks after the limits of modules: reads them, and where `governs`, calls who waits, whatever
 * signal was lost, takes out what runs no more, counts what ran before a limit was set, and sends
 * what waits for a limit that is gone.
 */
export class AdmissionRounds {
  private rounds = 0;

  constructor(
    private readonly parts: EngineParts,
    private readonly governs: boolean,
    private readonly pieces: { readonly admissions: Admissions; readonly limits: ModuleLimits },
  ) {}

  /** One round. Throws `StoreUnavailable`. */
  async tick(): Promise<void> {
    const { records } = this.parts;
    const { admissions, limits } = this.pieces;
    await limits.refresh();
    if (!this.governs || records === undefined) return;
    for (const { module } of limits.all()) admissions.callNext(module);
    this.rounds += 1;
    if (this.rounds % LOOK_EVERY !== 0) return;
    for (const limit of limits.all()) await this.lookAt(limit);
    await this.free(records);
  }

  private async lookAt(limit: ModuleLimit): Promise<void> {
    const { admissions } = this.pieces;
    if (limit.maxConcurrency === null) return;
    const { actions, counted } = await admissions.admitted(limit.module);
    for (let from = 0; from < actions.length; from += AT_ONCE) {
      const page = actions.slice(from, from + AT_ONCE);
      await Promise.all(page.map((action) => this.judge(limit.module, action)));
    }
    // Until every process knows the limit, more may start uncounted.
    const age = this.parts.clock.now() - limit.updatedAt;
    if (counted === limit.generation || age < 2 * LIMITS_KNOWN_FOR_MS) return;
    await admissions.count(limit, await this.running(limit.module));
  }

  /** An action that was called and not claimed so far has a time of its own. */
  private async judge(module: string, action: AdmittedAction): Promise<void> {
    if (action.by === null) return;
    const { admissions } = this.pieces;
    const task = await this.parts.store.get(action.taskId).catch((error: unknown) => {
      // Somebody has to mend it first: until then it counts.
      if (error instanceof TaskUnreadable) return undefined;
      throw error;
    });
    if (task === undefined) return;
    if (task === null) {
      const isGone = action.at + GONE_AFTER_MS < this.parts.clock.now();
      if (isGone) admissions.end(module, { ...action, below: action.revision + 1 });
    } else if (task.revision > action.revision && !isInHand(task, action)) {
      admissions.end(module, { ...action, below: task.revision });
    }
  }

  private async running(module: string): Promise<readonly Running[]> {
    const running: Running[] = [];
    for await (const { item } of this.parts.store.walk({ owners: 'any' })) {
      if (!isUnreadable(item)) running.push(...runningIn(item, module));
    }
    return running;
  }

  /** Sends everything that waits for modules that have no limits any more. */
  private async free(records: RecordStore): Promise<void> {
    const known = recordsOf(records, ADMISSION);
    for (const admission of await allOf(known)) {
      const { module } = admission;
      if (this.pieces.limits.of(module) !== undefined) continue;
      const line = new WaitingActions(records);
      for (;;) {
        const { normal, rollback } = await line.first(module, AT_ONCE);
        const page = [...rollback, ...normal];
        if (page.length === 0) break;
        await Promise.all(page.map((action) => this.send(line, action)));
      }
      await known.remove(module, admission);
    }
  }

  private async send(line: WaitingActions, action: WaitingAction): Promise<void> {
    const { store, transport } = this.parts;
    const task = await store.get(action.taskId);
    await transport.publish(task === null ? [] : messageFor(store, task, action));
    await line.remove(action);
  }
}

function runningIn(task: Task, module: string): readonly Running[] {
  const { plan, revision } = task;
  return openActions(task).flatMap((ref): readonly Running[] => {
    if (!isInHand(task, ref) || actionOf(task, ref)?.module !== module) return [];
    // As if it had been admitted on the revision before.
    return [{ taskId: plan.taskId, ...ref, revision: revision - 1 }];
  });
}
