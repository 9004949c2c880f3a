import { useEffect, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { readChanges } from '../api/events.js';
import { isForGood, type Refused } from '../api/exchange.js';
import { pause } from '../browser/clock.js';
import { untilSeen } from '../ui/rest.js';
import { type Child, laterOf } from './children.js';

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

/** Reads the child tasks of one task; see {@link useChildren}. */
export class FamilyReader {
  private readonly children = new Map<string, Child>();
  private isTelling = false;
  private isWhole = false;

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
      onOpen: () => void this.readOver(),
      onChange: (child) => {
        if (child.taskId === undefined) void this.readOver();
        else {
          this.take(child);
          void this.tellSoon();
        }
      },
    });
  }

  /** Until all are there: the stream may go on for hours, and does not tell of what it lacks. */
  private async readOver(): Promise<void> {
    while (!this.signal.aborted) {
      try {
        return await this.readAll();
      } catch (error) {
        if (isForGood(error)) return;
      }
      await pause(AGAIN_MS, this.signal);
    }
  }

  private async readAll(): Promise<void> {
    let cursor: string | null = null;
    do {
      const query = new URLSearchParams({ parent: this.taskId, limit: `${PAGE}` });
      if (cursor !== null) query.set('cursor', cursor);
      const { items, page } = await api.tasks(query, this.signal);
      for (const child of items) this.take(child);
      cursor = page.nextCursor;
      this.isWhole ||= cursor === null;
      this.show();
    } while (cursor !== null && !this.signal.aborted);
  }

  private take(child: Child): void {
    this.children.set(child.taskId, laterOf(this.children.get(child.taskId), child));
  }

  /** Changes of a moment are shown together. */
  private async tellSoon(): Promise<void> {
    if (this.isTelling) return;
    this.isTelling = true;
    await pause(GATHER_MS, this.signal);
    this.isTelling = false;
    this.show();
  }

  private show(): void {
    this.tell({ children: new Map(this.children), isWhole: this.isWhole, refusal: null });
  }
}
