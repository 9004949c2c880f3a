import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isActive, isFinal, stepAt, type Task } from '#core';
import { principalOf } from '#http-server';
import { KeyWatch } from '../access/key-watch.js';
import { OpenRequests } from '../access/open-requests.js';
import { OSS_OPTIONS, type OssOptions } from '../options.js';

/** Keeps requests waiting until their task stops moving. */
@Injectable()
export class TaskWaiting implements BeforeApplicationShutdown {
  private readonly open = new Set<() => void>();

  constructor(
    @Inject(OSS_OPTIONS) private readonly options: OssOptions,
    private readonly openRequests: OpenRequests,
    private readonly keyWatch: KeyWatch,
  ) {}

  /**
   * Keeps a place for a request that is going to wait; the result, called once, gives it back.
   * Throws the `Problem` that too many wait already.
   */
  admit(request: FastifyRequest): () => void {
    return this.openRequests.enter(request, 'waits');
  }

  /**
   * Resolves to the task when it is final or waits for a person, or to the last one seen when the
   * time is over, the client has gone or lost its rights, or the process stops.
   */
  waitFor(task: Task, waitMs: number, request: FastifyRequest): Promise<Task> {
    const { clock, engine } = this.options;
    if (standsStill(task) || waitMs === 0) return Promise.resolve(task);
    return new Promise((resolve) => {
      let last = task;
      const finish = (): void => {
        timer.cancel();
        stop();
        stopAsking();
        this.open.delete(finish);
        request.socket.off('close', finish);
        resolve(last);
      };
      const timer = clock.after(waitMs, finish);
      const stop = engine.watch.watch(task.plan.taskId, (seen) => {
        last = seen;
        if (standsStill(seen)) finish();
      });
      const stopAsking = this.keyWatch.watch(principalOf(request), finish);
      this.open.add(finish);
      request.socket.once('close', finish);
    });
  }

  /** Before the listener closes: it waits for every answer. */
  beforeApplicationShutdown(): void {
    for (const finish of [...this.open]) finish();
  }
}

/**
 * Whether nothing more happens to the task unless a person acts. Where one rollback has failed,
 * those that run beside it still come to their ends.
 */
export function standsStill(task: Task): boolean {
  const { hold, runs, status } = task;
  if (isFinal(status)) return true;
  if (hold === null || hold.until !== null) return false;
  return !runs.some(({ normal, rollback }, place) => {
    if (!isActive(normal) && (rollback === null || !isActive(rollback))) return false;
    // A group is under way for as long as its scope is open; what moves are the commands in it.
    return stepAt(task, place)?.group === undefined;
  });
}
