import type { Notice, Observer } from '#ports';
import { within } from './deadline.js';

/** An observer that keeps notices and lets a test wait for one. */
export class RecordingObserver implements Observer {
  readonly notices: Notice[] = [];
  readonly #waiters = new Map<string, (() => void)[]>();

  committed(): void {}

  noticed(notice: Notice): void {
    this.notices.push(notice);
    const waiters = this.#waiters.get(notice.name) ?? [];
    this.#waiters.delete(notice.name);
    for (const resolve of waiters) resolve();
  }

  named(name: string): Notice[] {
    return this.notices.filter((notice) => notice.name === name);
  }

  /** Resolves when a notice of that name has come, also when it came before. */
  tells(name: string): Promise<void> {
    if (this.named(name).length > 0) return Promise.resolve();
    return this.next(name);
  }

  /** Resolves at the next notice of that name. */
  next(name: string): Promise<void> {
    const come = new Promise<void>((resolve) => {
      this.#waiters.set(name, [...(this.#waiters.get(name) ?? []), resolve]);
    });
    return within(`notice ${name}`, come);
  }
}
