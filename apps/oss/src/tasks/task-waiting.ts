import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Task } from '#core';
import { principalOf } from '#http-server';
import { KeyWatch } from '../access/key-watch.js';
import { OpenRequests } from '../access/open-requests.js';
import { type CommonParts, OSS_OPTIONS } from '../options.js';
import { FamilyStill, standsStill, waitsForOthersAlone } from '../why/stands-still.js';

/** How often it is looked at what a task waits for that a caller waits for, in milliseconds. */
const LOOK_MS = 1_000;

/** Keeps requests waiting until their task stops moving. */
@Injectable()
export class TaskWaiting implements BeforeApplicationShutdown {
  private readonly open = new Set<() => void>();

  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts,
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
   * Resolves to the task when it is final, or it or each child task that it waits for waits for a
   * person or a signal; or to the last one seen when the time is over, the client has gone or lost
   * its rights, or the process stops.
   */
  waitFor(task: Task, waitMs: number, request: FastifyRequest): Promise<Task> {
    const { clock, engine } = this.options;
    if (standsStill(task) || waitMs === 0) return Promise.resolve(task);
    return new Promise((resolve) => {
      let last = task;
      const finish = (): void => {
        timer.cancel();
        stopLooking();
        stop();
        stopAsking();
        this.open.delete(finish);
        request.socket.off('close', finish);
        resolve(last);
      };
      const timer = clock.after(waitMs, finish);
      const stopLooking = this.lookAt(() => last, finish, clock.now() + waitMs);
      const stop = engine.watch.watch(task.plan.taskId, (seen) => {
        last = seen;
        if (standsStill(seen)) finish();
      });
      const stopAsking = this.keyWatch.watch(principalOf(request), finish);
      this.open.add(finish);
      request.socket.once('close', finish);
    });
  }

  /**
   * Looks again and again whether a task waits for people until then, or for child tasks that stand
   * still, of which no change of the task itself tells. The result ends it.
   */
  private lookAt(last: () => Task, finish: () => void, until: number): () => void {
    const { clock } = this.options;
    let isOver = false;
    let timer = clock.after(LOOK_MS, () => void look());
    const look = async (): Promise<void> => {
      const task = last();
      const isStill = waitsForOthersAlone(task, until) && (await this.isStill(task, until));
      if (isOver) return;
      if (isStill && task === last()) finish();
      else timer = clock.after(LOOK_MS, () => void look());
    };
    return () => {
      isOver = true;
      timer.cancel();
    };
  }

  /** False also where the store cannot be read now: the next look will tell. */
  private async isStill(task: Task, until: number): Promise<boolean> {
    return new FamilyStill(this.options, until).isStill(task).catch(() => false);
  }

  /** Before the listener closes: it waits for every answer. */
  beforeApplicationShutdown(): void {
    for (const finish of [...this.open]) finish();
  }
}
