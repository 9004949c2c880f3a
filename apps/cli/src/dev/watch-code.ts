import { type FSWatcher, watch } from 'node:fs';
import path from 'node:path';
import type { Clock } from '#ports';

/** A compiler writes many files, one after the other. */
const QUIET_MS = 250;
const CODE = /\.([cm]?js|json)$/;

/** Watches the folders of compiled code. */
export class CodeWatch {
  readonly #watchers: readonly FSWatcher[];
  #timer: { cancel(): void } | undefined;
  #changed: (change: { readonly file: string }) => void = () => undefined;

  constructor(
    files: readonly string[],
    private readonly clock: Pick<Clock, 'after'>,
  ) {
    const folders = new Set(files.map((file) => path.dirname(file)));
    this.#watchers = [...folders].map((folder) => {
      return watch(folder, { recursive: true }, (_kind, name) => this.#hear(name ?? ''));
    });
  }

  /** Resolves to the name of a file once some have changed and none has for a moment. */
  next(): Promise<{ readonly file: string }> {
    return new Promise((resolve) => {
      this.#changed = resolve;
    });
  }

  close(): void {
    this.#timer?.cancel();
    for (const watcher of this.#watchers) watcher.close();
  }

  #hear(name: string): void {
    if (!CODE.test(name) || name.split(path.sep).includes('node_modules')) return;
    this.#timer?.cancel();
    this.#timer = this.clock.after(QUIET_MS, () => this.#changed({ file: name }));
  }
}
