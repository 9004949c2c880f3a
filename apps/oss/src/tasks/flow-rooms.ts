import type { FlowDefinition } from '#core';
import { Problem } from '#http-server';
import type { StartedTasks } from '#ports';

/** Gives a place back once the task is stored, or is known not to be. To be called once. */
export type Leave = () => void;

/** A start that waits for the answer whether there is room for it. */
interface Waiter {
  readonly maxLive: number;
  readonly resolve: (leave: Leave) => void;
  readonly reject: (error: unknown) => void;
}

/** Seconds after which a refused start may be repeated. */
const RETRY_AFTER_S = '5';

/**
 * Bounds the live tasks of flows that have `maxLive`. Starts that come together are let in
 * together: while some of them are being stored none counts, and while one counts nothing is being
 * stored. So the bound holds exactly for all starts that go through the same rooms.
 */
export class FlowRooms {
  private readonly rooms = new Map<string, Room>();

  constructor(private readonly store: StartedTasks) {}

  /**
   * A place for one more task of the flow, at once null where the flow has no bound. Rejects with
   * `TOO_MANY_LIVE`, or with `StoreUnavailable`.
   */
  enter({ maxLive, name }: FlowDefinition): Promise<Leave> | null {
    return maxLive === undefined ? null : this.roomOf(name).enter(maxLive);
  }

  /** Throws `TOO_MANY_LIVE` where there is no room now; takes none. */
  async expectRoom({ maxLive, name }: FlowDefinition): Promise<void> {
    if (maxLive === undefined) return;
    if ((await this.store.countStarted(name, maxLive)) >= maxLive) throw isFull(name, maxLive);
  }

  private roomOf(flow: string): Room {
    const known = this.rooms.get(flow);
    if (known !== undefined) return known;
    const room = new Room(flow, this.store, () => this.rooms.delete(flow));
    this.rooms.set(flow, room);
    return room;
  }
}

/** The starts of one flow, all versions together. */
class Room {
  private waiting: Waiter[] = [];
  /** Tasks that were let in and may not be stored yet. */
  private inside = 0;
  private isCounting = false;

  constructor(
    private readonly flow: string,
    private readonly store: StartedTasks,
    private readonly onEmpty: () => void,
  ) {}

  enter(maxLive: number): Promise<Leave> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ maxLive, resolve, reject });
      this.look();
    });
  }

  private look(): void {
    if (this.isCounting || this.inside > 0) return;
    if (this.waiting.length === 0) return this.onEmpty();
    const asked = this.waiting;
    this.waiting = [];
    this.isCounting = true;
    void this.answer(asked);
  }

  /** Those who come meanwhile are answered by the next count: a task may end before they ask. */
  private async answer(asked: readonly Waiter[]): Promise<void> {
    const most = asked.reduce((sum, { maxLive }) => Math.max(sum, maxLive), 1);
    try {
      this.admit(asked, await this.store.countStarted(this.flow, most));
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
    this.isCounting = false;
    this.look();
  }

  /** Where it is not known that there is no room, a start waits: others may not be stored. */
  private admit(asked: readonly Waiter[], count: number): void {
    const rest: Waiter[] = [];
    for (const waiter of asked) {
      const { maxLive, reject, resolve } = waiter;
      if (count >= maxLive) reject(isFull(this.flow, maxLive));
      else if (count + this.inside >= maxLive) rest.push(waiter);
      else {
        this.inside += 1;
        resolve(() => this.leave());
      }
    }
    this.waiting = [...rest, ...this.waiting];
  }

  private leave(): void {
    this.inside -= 1;
    this.look();
  }
}

function isFull(flow: string, maxLive: number): Problem {
  const detail = `Flow ${flow} has ${maxLive} unfinished tasks, the most that its \`maxLive\` allows.`;
  return new Problem('TOO_MANY_LIVE', detail, { headers: { 'retry-after': RETRY_AFTER_S } });
}
