import { pause } from '../browser/clock.js';
import { Refused } from './exchange.js';
import { readChanges } from './events.js';
import type { Summary, Unreadable } from './shapes.js';

/** Hears of changes of tasks. */
interface ChangeListener {
  /** Tasks as they are now, in the order of their changes; a task may come more than once. */
  readonly onChanges: (items: readonly (Summary | Unreadable)[]) => void;
  /** Whether changes are told now; while they are not, one has to ask. */
  readonly onLive: (isLive: boolean) => void;
}

/** Changes of a moment are told together, so that a busy page is not drawn for each. */
const GATHER_MS = 100;
const AGAIN_MS = 1_000;
/** Of a server that has no room for one more stream. */
const REFUSED_MS = 15_000;

/**
 * The one stream of changes that all lists of a page share. It is open while a page listens and
 * the page can be seen: browsers open few connections to one server, and a page has many tabs.
 */
class ChangeFeed {
  private readonly listeners = new Set<ChangeListener>();
  private gathered: (Summary | Unreadable)[] = [];
  private controller: AbortController | null = null;
  private isLive = false;

  /** Returns what ends it. */
  listen(listener: ChangeListener): () => void {
    this.listeners.add(listener);
    if (this.isLive) listener.onLive(true);
    this.turn();
    document.addEventListener('visibilitychange', this.turn);
    return () => {
      this.listeners.delete(listener);
      this.turn();
    };
  }

  private readonly turn = (): void => {
    const isWanted = this.listeners.size > 0 && document.visibilityState === 'visible';
    if (isWanted === (this.controller !== null)) return;
    this.controller?.abort();
    this.controller = isWanted ? new AbortController() : null;
    if (this.controller !== null) void this.run(this.controller.signal);
  };

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const waitMs = await this.read(signal);
      if (signal.aborted) return this.tellLive(false);
      this.tellLive(false);
      await pause(waitMs, signal);
    }
  }

  /** Reads until the stream ends; how long to wait before the next one. */
  private async read(signal: AbortSignal): Promise<number> {
    try {
      await readChanges({
        signal,
        onOpen: () => this.tellLive(true),
        onChange: (item) => this.gather(item, signal),
      });
      return AGAIN_MS;
    } catch (error) {
      return error instanceof Refused ? REFUSED_MS : AGAIN_MS;
    }
  }

  private gather(item: Summary | Unreadable, signal: AbortSignal): void {
    // The server does not know where this page was: what there is has to be asked for again.
    if (item.taskId === undefined) {
      this.tellLive(false);
      return this.tellLive(true);
    }
    this.gathered.push(item);
    if (this.gathered.length > 1) return;
    void this.tellSoon(signal);
  }

  private async tellSoon(signal: AbortSignal): Promise<void> {
    await pause(GATHER_MS, signal);
    const items = this.gathered;
    this.gathered = [];
    for (const listener of this.listeners) listener.onChanges(items);
  }

  private tellLive(isLive: boolean): void {
    if (this.isLive === isLive) return;
    this.isLive = isLive;
    for (const listener of this.listeners) listener.onLive(isLive);
  }
}

/** The stream of changes of this page. */
export const changeFeed = new ChangeFeed();
