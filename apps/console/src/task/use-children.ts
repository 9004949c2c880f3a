import { useEffect, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { readChanges } from '../api/events.js';
import { isForGood, type Refused } from '../api/exchange.js';
import { pause } from '../browser/clock.js';
import { untilSeen } from '../ui/rest.js';
import type { Child } from './children.js';

/** The child tasks of a task. */
interface Family {
  readonly children: ReadonlyMap<string, Child>;
  /** Whether all of them are there. */
  readonly isWhole: boolean;
  readonly refusal: Refused | null;
}

const NONE: Family = { children: new Map(), isWhole: false, refusal: null };
/** Child tasks that one request brings. */
const PAGE = 200;
const GATHER_MS = 500;
const AGAIN_MS = 2_000;

/**
 * All child tasks of a task: read once, and then followed by their changes, while they may change.
 * A change of `turn` reads them again.
 */
export function useChildren(taskId: string, isLive: boolean, turn: number): Family {
  const [state, set] = useState(NONE);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const reader = new FamilyReader(taskId, signal, (change) => {
      if (!signal.aborted) set((before) => ({ ...before, ...change }));
    });
    void reader.run(isLive);
    return () => controller.abort();
  }, [taskId, isLive, isLive ? 0 : turn]);
  return state;
}

class FamilyReader {
  private readonly children = new Map<string, Child>();
  private isTelling = false;

  constructor(
    private readonly taskId: string,
    private readonly signal: AbortSignal,
    private readonly tell: (change: Partial<Family>) => void,
  ) {}

  /** Reads all; while they live, again whenever the stream of their changes had an end. */
  async run(isLive: boolean): Promise<void> {
    while (!this.signal.aborted) {
      try {
        await untilSeen(this.signal);
        if (!isLive) return await this.readAll();
        await this.follow();
      } catch (error) {
        if (this.signal.aborted) return;
        if (isForGood(error)) return this.tell({ refusal: error });
      }
      await pause(AGAIN_MS, this.signal);
    }
  }

  /** The stream is open before they are read: no change is missed. */
  private follow(): Promise<void> {
    return readChanges({
      signal: this.signal,
      parent: this.taskId,
      onOpen: () => void this.readAll().catch(() => {}),
      onChange: (child) => {
        if (child.taskId === undefined) void this.readAll().catch(() => {});
        else {
          this.children.set(child.taskId, child);
          void this.tellSoon();
        }
      },
    });
  }

  private async readAll(): Promise<void> {
    let cursor: string | null = null;
    do {
      const query = new URLSearchParams({ parent: this.taskId, limit: `${PAGE}` });
      if (cursor !== null) query.set('cursor', cursor);
      const { items, page } = await api.tasks(query, this.signal);
      for (const child of items) this.children.set(child.taskId, child);
      cursor = page.nextCursor;
      this.show(cursor === null);
    } while (cursor !== null && !this.signal.aborted);
  }

  /** Changes of a moment are shown together. */
  private async tellSoon(): Promise<void> {
    if (this.isTelling) return;
    this.isTelling = true;
    await pause(GATHER_MS, this.signal);
    this.isTelling = false;
    this.show(true);
  }

  private show(isWhole: boolean): void {
    this.tell({ children: new Map(this.children), isWhole, refusal: null });
  }
}
