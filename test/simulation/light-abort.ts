import type { AbortSource } from '#engine';
import type { AbortSignalLike } from '#ports';

/** An abort controller that costs little: histories make thousands of them. */
export class LightAbort implements AbortSource, AbortSignalLike {
  aborted = false;
  reason: unknown = undefined;
  private listeners: (() => void)[] = [];

  get signal(): AbortSignalLike {
    return this;
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const tell of this.listeners.splice(0)) tell();
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) this.listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.listeners = this.listeners.filter((other) => other !== listener);
  }
}
