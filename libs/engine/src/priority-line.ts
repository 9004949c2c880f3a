import { directionOf, type Dispatch } from '#core';
import { placeOf } from '#core/scopes';
import {
  type DeliveryHandler,
  type DeliveryVerdict,
  pagesOf,
  QUEUED_ACTION,
  type QueuedAction,
  queuedId,
  type Records,
  recordsOf,
  TaskUnreadable,
} from '#ports';
import { messageFor } from './dispatched.js';
import type { ModuleLimits } from './module-limits.js';
import type { EngineParts } from './parts.js';

/** Actions of a line that are looked at in one go. */
const PAGE = 20;

/** How the receiver of a message claims. */
interface Claiming<Taken> {
  /** Whether it may run this action in the place of the message's own. */
  readonly fits: (action: QueuedAction) => boolean;
  /** Claims the action of a message. */
  readonly claim: (dispatch: Dispatch) => Promise<Taken>;
  /** Whether the action of that claim is not to be run any more. */
  readonly isGone: (taken: Taken) => boolean;
}

type Fits = Claiming<unknown>['fits'];

/**
 * Has actions start by order time over a transport that does not keep that order. A queued action
 * with a priority stands in the line of its module in the store before its message leaves. A
 * message is then the permission to run one action: its receiver takes the first of the line, where
 * that goes before the action of the message; which, if it stands in no line so far, does so from
 * then on, and the message of the other one finds it.
 *
 * Lines are hints, as messages are: an action is claimed by its document, and one that got lost
 * between line and claim is sent again by governance. No call is made for a module while none of
 * its messages in this process have a priority or come for an action that is gone. A module with
 * limits has the line of these, and each of its messages stands for its own action.
 */
export class PriorityLine {
  /** Modules in whose lines something may stand. */
  private readonly kept = new Set<string>();
  /** Ids of actions that this process takes out of their lines just now. */
  private readonly leaving = new Set<string>();
  private readonly records;

  constructor(
    private readonly parts: Pick<EngineParts, 'records' | 'store' | 'transport'>,
    private readonly limits: Pick<ModuleLimits, 'of'>,
  ) {
    const { records, transport } = parts;
    const isNeeded = records !== undefined && transport.isOrdered !== true;
    this.records = isNeeded ? recordsOf(records, QUEUED_ACTION) : null;
  }

  /** A handler that hears of the messages that wait beside those that it handles. */
  hearing(handle: (dispatch: Dispatch) => Promise<DeliveryVerdict>): DeliveryHandler {
    return async (dispatch, crowd) => {
      if (crowd === 'mixed') this.note(dispatch.message.module);
      if (crowd !== 'no_place') return handle(dispatch);
      // Without its place in line it is found by its own message alone.
      if (this.isKept(dispatch.message.module)) await this.add([dispatch]).catch(() => {});
      return 'later';
    };
  }

  /** Whether something may stand in the line of a module, as far as is known. */
  isKept(module: string): boolean {
    return this.kept.has(module) && this.limits.of(module) === undefined;
  }

  /** Whether the action of a message is to stand in a line before the message leaves. */
  concerns({ message, priority }: Dispatch): boolean {
    return priority !== 0 && this.records !== null && this.limits.of(message.module) === undefined;
  }

  /** Puts actions into the lines of their modules. Throws `StoreUnavailable`. */
  async add(dispatches: readonly Dispatch[]): Promise<void> {
    const { records } = this;
    if (records === null) return;
    await Promise.all(
      dispatches.map(({ message, orderAt }) => {
        const { command, module, run, taskId, type } = message;
        return records.put({ taskId, run, type, module, command, orderAt }, 'any');
      }),
    );
  }

  /**
   * Claims the action that goes first, for a message that has come; where that one is gone or
   * cannot be read, the next in line. Resolves to the last claim. Throws `StoreUnavailable`, and
   * the `TaskUnreadable` of the last claim.
   */
  async claimFirst<Taken>(own: Dispatch, { claim, fits, isGone }: Claiming<Taken>): Promise<Taken> {
    const { module } = own.message;
    if (own.priority !== 0) this.note(module);
    let next = (await this.take(module, fits, own)) ?? own;
    for (;;) {
      let last: () => Taken;
      try {
        const taken = await claim(next);
        if (!isGone(taken)) return taken;
        last = () => taken;
      } catch (error) {
        if (!(error instanceof TaskUnreadable)) throw error;
        last = () => {
          throw error;
        };
      }
      // It was started by the message of another one, which may stand in the line.
      this.note(module);
      const further = await this.take(module, fits, null);
      if (further === null) return last();
      next = further;
    }
  }

  /** Null: nothing in the line goes before the action of the message in hand. */
  private async take(module: string, fits: Fits, own: Dispatch | null): Promise<Dispatch | null> {
    const { records } = this;
    if (records === null || !this.isKept(module)) return null;
    for await (const page of pagesOf(records, { index: 'line', of: [module] }, PAGE)) {
      let isContested = false;
      for (const each of page) {
        const id = queuedId(each);
        const isOwn = own !== null && id === queuedId(own.message);
        if (!isOwn && own?.priority === 0 && own.orderAt <= each.orderAt) return null;
        if (!fits(each)) continue;
        if (!(await this.leaves(id, records))) {
          isContested = true;
          continue;
        }
        const next = isOwn ? own : await this.messageOf(each);
        if (next === null) continue;
        if (!isOwn && own?.priority === 0) await this.add([own]);
        return next;
      }
      // Those behind the ones that others take need this message.
      if (page.length === PAGE && !isContested) return null;
    }
    this.kept.delete(module);
    return null;
  }

  /** Takes an action out of the line. False: another one has done so, or is about to, here. */
  private async leaves(id: string, records: Records<QueuedAction, 'line'>): Promise<boolean> {
    if (this.leaving.has(id)) return false;
    this.leaving.add(id);
    try {
      return await records.remove(id, 'any');
    } finally {
      this.leaving.delete(id);
    }
  }

  /** Something may stand in the line of a module. */
  private note(module: string): void {
    if (this.records !== null) this.kept.add(module);
  }

  /** The message of an action as its document has it; null: it is not to be run now. */
  private async messageOf({ run, taskId, type }: QueuedAction): Promise<Dispatch | null> {
    const { store } = this.parts;
    const task = await store.get(taskId).catch((error: unknown) => {
      if (error instanceof TaskUnreadable) return null;
      throw error;
    });
    if (task === null || task.paused !== null) return null;
    const step = placeOf(task, run);
    if (step === null) return null;
    return messageFor(store, task, { direction: directionOf(type), step })[0] ?? null;
  }
}
