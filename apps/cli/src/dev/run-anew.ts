import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type FSWatcher, watch } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { growingDelay } from '#core';
import { SystemClock } from '#machine';
import type { Clock } from '#ports';
import { EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import type { ChildMessage } from './child.js';

/** How long a crashing child waits before it starts again: not at all, then so. */
const WAITS = { firstMs: 1_000, maxMs: 30_000 };

/** A child that has run for so long is not one that crashes again and again, in milliseconds. */
const CALM_MS = 60_000;

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));
const LOOK_EVERY_MS = 250;

/** The traces of the parent that a program can see. */
interface Starter {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The parent's id now. */
  readonly ppid: number;
}

/** A compiler writes many files, one after the other. */
const QUIET_MS = 250;

const CODE = /\.([cm]?js|json)$/;

/**
 * Runs this command line in a child, and again whenever the code around `files` changes or the
 * child crashes: modules that Node has loaded cannot be loaded again. Ends when the session is
 * ended, or with the exit code of a first start that is refused.
 */
export async function runAnew(session: Session, files: readonly string[]): Promise<ExitCode> {
  const clock = new SystemClock();
  const code = new CodeWatch(files, clock);
  const crashes = new Crashes(clock);
  const stopped = new Promise<'stopped'>((resolve) => {
    session.signal.addEventListener('abort', () => resolve('stopped'), { once: true });
    void parentEnd(process, clock).then(() => resolve('stopped'));
  });
  try {
    for (let hasRun = false; ;) {
      const changed = code.next();
      const child: Child = new Child({ isFirst: !hasRun });
      const news = await Promise.race([stopped, changed, child.ended]);
      if (news === 'stopped') return await child.stop();
      hasRun ||= child.said !== 'refused';
      if ('file' in news) {
        session.say(`\n${news.file} has changed: starting again`);
        await child.stop();
        continue;
      }
      if (!hasRun) return news.exitCode;
      const again = child.said === 'refused' ? never() : crashes.wait();
      session.say(`\n${endWords(child, news)}${again.words}`);
      if ((await Promise.race([stopped, changed, again.over])) === 'stopped') {
        return EXIT.interrupted;
      }
    }
  } finally {
    code.close();
  }
}

/** When a child that has ended starts again, besides a change of the code. */
interface Again {
  readonly words: string;
  readonly over: Promise<'over'>;
}

/** A child that refuses to start does so until something is changed. */
function never(): Again {
  return { words: ' and starts again when its code changes.', over: new Promise(() => undefined) };
}

/** The waits between starts of a child that crashes again and again. */
class Crashes {
  #count = 0;
  #startedAt: number;

  constructor(private readonly clock: SystemClock) {
    this.#startedAt = clock.monotonic();
  }

  /** The wait after a crash: none after the first one in a while. */
  wait(): Again {
    const now = this.clock.monotonic();
    this.#count = now - this.#startedAt > CALM_MS ? 1 : this.#count + 1;
    const waitMs = this.#count === 1 ? 0 : growingDelay(WAITS, this.#count - 1);
    this.#startedAt = now + waitMs;
    const when = waitMs === 0 ? '' : ` in ${waitMs / 1_000} s, or when its code changes`;
    const over = this.clock.sleep(waitMs).then(() => 'over' as const);
    return { words: `: starting again${when}.`, over };
  }
}

function endWords(child: Child, { exitCode, signal }: ChildEnd): string {
  if (child.said === 'refused') return `It has not started (${exitCode})`;
  return `It has crashed (${signal ?? exitCode})`;
}

/** How a child ended. */
interface ChildEnd {
  readonly exitCode: ExitCode;
  /** The signal that ended it; null: none did. */
  readonly signal: string | null;
}

class Child {
  readonly #process: ChildProcess;
  said: ChildMessage | null = null;
  readonly ended: Promise<ChildEnd>;

  constructor({ isFirst }: { readonly isFirst: boolean }) {
    const args = [...process.argv.slice(2), '--no-watch', ...(isFirst ? [] : ['--quiet'])];
    this.#process = fork(MAIN, args, { serialization: 'advanced' });
    this.#process.on('message', (message) => {
      this.said = message as ChildMessage;
    });
    this.ended = once(this.#process, 'exit').then(([code, signal]) => {
      return {
        exitCode: (code ?? EXIT.endedOtherwise) as ExitCode,
        signal: signal as string | null,
      };
    });
  }

  /**
   * By letting go of it, not by a signal: a terminal signals both, and a second one would end the
   * child at once. One that is still starting has nothing to hand back.
   */
  async stop(): Promise<ExitCode> {
    if (this.said !== 'ready') this.#process.kill('SIGKILL');
    else if (this.#process.connected) this.#process.disconnect();
    return (await this.ended).exitCode;
  }
}

/**
 * Resolves when the shell is gone in which npm runs a script: `npm start` that is told to stop ends
 * that shell, and what runs in it hears nothing. Never resolves where npm did not start it, since
 * such a program may outlive its parent.
 */
export function parentEnd(starter: Starter, clock: Pick<Clock, 'after'>): Promise<void> {
  if (starter.env['npm_lifecycle_event'] === undefined) return new Promise(() => undefined);
  const { ppid } = starter;
  return new Promise((resolve) => {
    const look = (): void => {
      if (starter.ppid === ppid) clock.after(LOOK_EVERY_MS, look);
      else resolve();
    };
    look();
  });
}

/** Watches the folders of compiled code. */
class CodeWatch {
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
