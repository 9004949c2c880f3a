import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import type { KindName } from '#core';
import { NODE_FLAGS } from '../stack/node-flags.js';
import { REPOSITORY } from '../stack/repository.js';
import type { Summary } from './summary.js';

const PLAYER = path.join(REPOSITORY, 'dist/test/simulation/player.js');
/** A batch that takes longer does not end by itself, even where players are paused for a while. */
const BATCH_MAX_MS = 2 * 3_600_000;

/** Histories that one process plays in one go. */
export interface Batch {
  readonly from: number;
  readonly seeds: number;
  /** Name of the bug that is put in. */
  readonly mutant: string | null;
  /** Kinds of steps that all flows are made of, besides commands; null: as the seeds say. */
  readonly kinds: readonly KindName[] | null;
  /** Workers serve some of the modules; absent: where the mutant asks for them. */
  readonly hasWorkers?: boolean | undefined;
}

/** Processes that play histories side by side; their number does not change what comes of them. */
export class Players {
  private readonly children = new Set<ChildProcess>();

  constructor(private readonly jobs: number) {}

  /** Plays all batches, and tells what came of each in their order. */
  async play(batches: Iterable<Batch>, take: (summary: Summary) => void): Promise<void> {
    const queue = batches[Symbol.iterator]();
    const done = new Map<number, Summary>();
    let begun = 0;
    let taken = 0;
    const work = async (): Promise<void> => {
      const child = this.start();
      for (let next = queue.next(); next.done !== true; next = queue.next()) {
        const place = begun++;
        done.set(place, await playOn(child, next.value));
        for (let first = done.get(taken); first !== undefined; first = done.get(taken)) {
          done.delete(taken++);
          take(first);
        }
      }
    };
    try {
      await Promise.all(Array.from({ length: this.jobs }, work));
    } finally {
      for (const child of this.children) child.kill('SIGKILL');
      this.children.clear();
    }
  }

  private start(): ChildProcess {
    const child = fork(PLAYER, [], { execArgv: [...NODE_FLAGS], serialization: 'advanced' });
    this.children.add(child);
    return child;
  }
}

/** Has a process play a batch; rejects when it ends or hangs over it. */
function playOn(child: ChildProcess, batch: Batch): Promise<Summary> {
  const { from, mutant, seeds } = batch;
  const what = `seeds ${from} to ${from + seeds - 1}${mutant === null ? '' : ` with ${mutant}`}`;
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => settle(() => reject(new Error(`${why} over ${what}`)));
    const onExit = (code: number | null, signal: string | null): void =>
      fail(`a player ended (${code ?? signal})`);
    const onError = (error: Error): void => fail(error.message);
    const onMessage = (summary: unknown): void => settle(() => resolve(summary as Summary));
    const timer = setTimeout(() => fail('a player hung'), BATCH_MAX_MS);
    const settle = (tell: () => void): void => {
      clearTimeout(timer);
      child.off('exit', onExit).off('error', onError).off('message', onMessage);
      tell();
    };
    child.on('exit', onExit).on('error', onError).on('message', onMessage);
    child.send(batch);
  });
}
