import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from '../trial/index.js';

/** For how long something is kept broken: chance decides between two bounds. */
export interface Hold {
  readonly random: SeededRandom;
  readonly seconds: readonly [number, number];
}

/** Resolves when what is broken has been so for long enough. */
export async function keepBroken({ random, seconds: [least, most] }: Hold): Promise<void> {
  await delay(1_000 * (least + random.next() * (most - least)));
}
