import { type Clock, type Observer, StoreDamaged, type Timer } from '#ports';
import type { DatabaseLook, Harm } from './database-look.js';
import { within } from './deadline.js';
import type { Secret } from './secret.js';

/** How often the database is looked at, in milliseconds. */
const LOOK_MS = 3_000;

/** The dependencies of the watch. */
interface WatchParts {
  readonly clock: Clock;
  readonly look: Pick<DatabaseLook, 'harm'>;
  readonly observer: Pick<Observer, 'noticed'>;
  /** Longest wait for a look, in milliseconds. */
  readonly ms: number;
  readonly secret: Pick<Secret, 'mask'>;
}

/**
 * Looks at the database all the time: whether it is the one that the process opened, with all that
 * belongs to it. A server that does not answer says nothing about that.
 */
export class StoreWatch {
  private timer: Timer | undefined;
  private isStopped = false;
  private found: { readonly harm: Harm; readonly error: StoreDamaged } | null = null;

  constructor(private readonly parts: WatchParts) {
    this.wait();
  }

  /** Why nothing can be read or written; null: it can. */
  get harm(): StoreDamaged | null {
    return this.found?.harm.isWhole === false ? this.found.error : null;
  }

  /** Throws while something is missing, even if it is only an index. */
  expectWhole(): void {
    if (this.found !== null) throw this.found.error;
  }

  stop(): void {
    this.isStopped = true;
    this.timer?.cancel();
  }

  private wait(): void {
    if (this.isStopped) return;
    this.timer = this.parts.clock.after(LOOK_MS, () => {
      void this.look().finally(() => this.wait());
    });
  }

  private async look(): Promise<void> {
    const { clock, look, ms } = this.parts;
    try {
      this.note(await within(() => look.harm(), { clock, ms }));
    } catch {
      // Calls of the store tell of a server that does not answer.
    }
  }

  private note(harm: Harm | null): void {
    const before = this.found?.harm.what;
    if (this.isStopped || harm?.what === before) return;
    this.found = harm === null ? null : { harm, error: this.errorOf(harm) };
    const { observer } = this.parts;
    if (this.found !== null) {
      const { message } = this.found.error;
      observer.noticed({ level: 'error', name: 'store_damaged', message });
    } else {
      const message = 'The database of the store is whole again.';
      observer.noticed({ level: 'info', name: 'store_whole', message });
    }
  }

  private errorOf({ isWhole, what }: Harm): StoreDamaged {
    const remedy = isWhole
      ? 'Restart a process of the set, which makes it again; no task is taken until then.'
      : 'Stop the processes of the set, restore the database or its rights, and start them again.';
    return new StoreDamaged(
      `The database of the store is damaged: ${this.parts.secret.mask(what)}. ${remedy}`,
    );
  }
}
