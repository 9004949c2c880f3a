import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { forgetGroup, reapGroup } from '../servers/reaper.js';

/** Programs that want a processor each, all the time. */
export class BusyPrograms {
  private constructor(private readonly children: readonly ChildProcess[]) {}

  /** Starts a number of them. */
  static start(count: number): BusyPrograms {
    const children = Array.from({ length: count }, () => {
      const child = spawn(process.execPath, ['-e', 'for (;;);'], {
        detached: true,
        stdio: 'ignore',
      });
      if (child.pid !== undefined) reapGroup(child.pid);
      child.unref();
      return child;
    });
    return new BusyPrograms(children);
  }

  /** Ends them all. */
  async stop(): Promise<void> {
    await Promise.all(this.children.map(end));
  }
}

async function end(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.ref();
  child.kill('SIGKILL');
  await gone;
  if (child.pid !== undefined) forgetGroup(child.pid);
}
