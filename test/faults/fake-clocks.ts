import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Where Debian and its kin put the library, for each kind of machine. */
const FOLDERS = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map(
  (kind) => `/usr/lib/${kind}/faketime`,
);
const LIBRARY = FOLDERS.map((folder) => path.join(folder, 'libfaketimeMT.so.1')).find(existsSync);

/**
 * The clocks of processes, each to be set while its process runs. Only the time of day is changed:
 * timers go on as they do on a machine whose clock a person corrects.
 */
export class FakeClocks {
  constructor(private readonly folder: string) {
    if (LIBRARY === undefined) {
      throw new Error('libfaketime is missing: .ci/install-servers installs it');
    }
    mkdirSync(folder, { recursive: true });
  }

  /** The environment that a process has to be started with; its clock is right until it is set. */
  environmentOf(name: string): Readonly<Record<string, string>> {
    this.set(name, 0);
    return {
      LD_PRELOAD: LIBRARY!,
      FAKETIME_TIMESTAMP_FILE: this.#fileOf(name),
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** From now on the clock of a process is a number of seconds ahead, or behind. */
  set(name: string, seconds: number): void {
    const sign = seconds < 0 ? '-' : '+';
    writeFileSync(this.#fileOf(name), `${sign}${Math.abs(seconds)}\n`);
  }

  #fileOf(name: string): string {
    return path.join(this.folder, `${name}.clock`);
  }
}
