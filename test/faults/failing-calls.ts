import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { forgetGroup, reapGroup } from '../servers/reaper.js';
import { waitUntil } from '../servers/wait-until.js';
import type { AppProcess } from '../stack/index.js';

const ATTACH_MS = 60_000;

/** System calls that fail, and with which error. */
export interface FailingPlan {
  readonly calls: readonly string[];
  readonly error: 'EIO' | 'ENOSPC';
}

/** A broken disk: no write is sure to be there. */
export const NO_SYNC: FailingPlan = { calls: ['fsync', 'fdatasync'], error: 'EIO' };

/** A full disk. */
export const NO_ROOM: FailingPlan = { calls: ['pwrite64', 'fallocate'], error: 'ENOSPC' };

/** System calls of a running process that fail until it is let go (strace). */
export class FailingCalls {
  private constructor(private readonly tracer: ChildProcess) {}

  /** Resolves when the calls of every thread fail. */
  static async of({ pid }: AppProcess, { calls, error }: FailingPlan): Promise<FailingCalls> {
    const list = calls.join(',');
    const inject = ['-e', `trace=${list}`, '-e', `inject=${list}:error=${error}`];
    const args = ['-f', '-qq', '-o', '/dev/null', ...inject, '-p', String(pid)];
    const tracer = spawn('strace', args, { detached: true, stdio: 'ignore' });
    await once(tracer, 'spawn');
    reapGroup(tracer.pid!);
    tracer.once('exit', () => forgetGroup(tracer.pid!));
    await waitUntil(async () => assertTraced(pid!), {
      what: 'strace did not attach',
      deadlineMs: ATTACH_MS,
      hopeless: () => (tracer.exitCode === null ? undefined : `it ended: ${tracer.exitCode}`),
    });
    return new FailingCalls(tracer);
  }

  /** The calls go well again. */
  async release(): Promise<void> {
    if (this.tracer.exitCode !== null || this.tracer.signalCode !== null) return;
    const gone = once(this.tracer, 'exit');
    this.tracer.kill('SIGTERM');
    await gone;
  }
}

function assertTraced(pid: number): void {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  if (/^TracerPid:\s+0$/m.test(status)) throw new Error('nobody traces it');
}
