import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { Timer } from '#ports';
import { type CommonParts, OSS_OPTIONS } from '../options.js';
import { type Change, ChangeLook } from './change-look.js';

/** Hears of changes. */
type ChangeListener = (changes: readonly Change[]) => void;

/**
 * How often the store is asked while a caller listens, in milliseconds. Other processes commit to a
 * shared store, and a person sees what they did within 300 ms.
 */
const POLL_MS = { alone: 500, shared: 200 } as const;

/** Least time between two questions where a commit of this process asks for one. */
const GAP_MS = { alone: 20, shared: 200 } as const;

/**
 * Asks the store what has changed, once for all who listen in this process, and not at all while
 * nobody does. A commit of this process is asked for at once.
 */
@Injectable()
export class ChangeFeed implements BeforeApplicationShutdown {
  private readonly listeners = new Set<ChangeListener>();
  private current: ChangeLook | null = null;
  private timer: Timer | null = null;
  private stopWatching: (() => void) | null = null;
  private starting: Promise<void> | null = null;
  private isAsking = false;
  private isMoved = false;

  constructor(@Inject(OSS_OPTIONS) private readonly options: CommonParts) {}

  /** How many listen. */
  get size(): number {
    return this.listeners.size;
  }

  /** The largest number that was told; 0 while nobody listens. */
  get position(): number {
    return this.current?.position ?? 0;
  }

  /**
   * From when it resolves, the listener hears of every change with a number above `position`, and
   * of those that come into sight late, until the returned function is called. Throws what the
   * store throws.
   */
  async listen(listener: ChangeListener): Promise<() => void> {
    this.listeners.add(listener);
    const stop = (): void => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.rest();
    };
    try {
      await (this.starting ??= this.start());
    } catch (error) {
      stop();
      throw error;
    }
    return stop;
  }

  beforeApplicationShutdown(): void {
    this.listeners.clear();
    this.rest();
  }

  private async start(): Promise<void> {
    const { changes, engine } = this.options;
    const look = new ChangeLook(changes, await changes.newest());
    // Changes visible now are old, and dropped; those that become visible later are new.
    if (changes.overlap.far > 0) await look.look(() => undefined);
    if (this.listeners.size === 0) return this.rest();
    this.current = look;
    this.stopWatching = engine.watch.watchAny(() => this.move());
    this.wait(POLL_MS[this.sharing]);
  }

  private rest(): void {
    this.timer?.cancel();
    this.timer = null;
    this.stopWatching?.();
    this.stopWatching = null;
    this.starting = null;
    this.current = null;
  }

  /** This process has moved a task. */
  private move(): void {
    if (this.isMoved) return;
    this.isMoved = true;
    if (this.isAsking) return;
    this.timer?.cancel();
    this.wait(GAP_MS[this.sharing]);
  }

  private get sharing(): keyof typeof POLL_MS {
    return this.options.changes.overlap.far === 0 ? 'alone' : 'shared';
  }

  private wait(ms: number): void {
    this.timer = this.options.clock.after(ms, () => void this.ask());
  }

  private async ask(): Promise<void> {
    const look = this.current;
    if (look === null) return;
    this.isAsking = true;
    this.isMoved = false;
    // A store that does not answer only delays what is told.
    await look.look((found) => this.tell(found)).catch(() => undefined);
    this.isAsking = false;
    if (look === this.current) this.wait((this.isMoved ? GAP_MS : POLL_MS)[this.sharing]);
  }

  private tell(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    for (const listener of [...this.listeners]) listener(changes);
  }
}
