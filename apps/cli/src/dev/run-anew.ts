import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { SystemClock } from '#machine';
import { EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import { parentEnd } from './parent-end.js';
import { CodeWatch } from './watch-code.js';

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));

/**
 * Runs this command line in a child, and anew whenever the code around `files` changes: modules
 * that Node has loaded cannot be loaded again. Ends when the session is ended, or with the exit
 * code of a first start that fails.
 */
export async function runAnew(session: Session, files: readonly string[]): Promise<ExitCode> {
  const clock = new SystemClock();
  const code = new CodeWatch(files, clock);
  const stopped = new Promise<'stopped'>((resolve) => {
    session.signal.addEventListener('abort', () => resolve('stopped'), { once: true });
    void parentEnd(process, clock).then(() => resolve('stopped'));
  });
  try {
    for (let isFirst = true; ; isFirst = false) {
      const changed = code.next();
      const child = new Child(isFirst);
      const what = await Promise.race([stopped, changed, child.ended]);
      if (what === 'stopped') return await child.stop();
      if (typeof what === 'string') {
        session.say(`\n${what} has changed: starting again`);
        await child.stop();
        continue;
      }
      if (isFirst && !child.wasReady) return what;
      session.say(`\nIt has ended (${what}) and starts again when its code changes.`);
      if ((await Promise.race([stopped, changed])) === 'stopped') return EXIT.interrupted;
    }
  } finally {
    code.close();
  }
}

class Child {
  readonly #process: ChildProcess;
  wasReady = false;
  /** Its exit code. */
  readonly ended: Promise<ExitCode>;

  constructor(isFirst: boolean) {
    const args = [...process.argv.slice(2), '--no-watch', ...(isFirst ? [] : ['--quiet'])];
    this.#process = fork(MAIN, args, { serialization: 'advanced' });
    this.#process.on('message', () => {
      this.wasReady = true;
    });
    this.ended = once(this.#process, 'exit').then(([code]) => (code ?? 1) as ExitCode);
  }

  /**
   * By letting go of it, not by a signal: a terminal signals both, and a second one would end the
   * child at once. One that is still starting has nothing to hand back.
   */
  stop(): Promise<ExitCode> {
    if (this.wasReady && this.#process.connected) this.#process.disconnect();
    else if (!this.wasReady) this.#process.kill('SIGKILL');
    return this.ended;
  }
}
