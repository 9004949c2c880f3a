import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from '../trial/index.js';
import type { Blow } from '../storm/index.js';

/** Which outages there are, and how close together. */
export interface Rhythm {
  readonly outages: readonly Blow[];
  readonly random: SeededRandom;
  /** From the beginning of one to that of the next, if the first is over by then. */
  readonly everyMs: number;
  readonly isOver: () => boolean;
  /** Receives each outage as soon as it is over, with its times since the first began. */
  readonly onOutage: (outage: Outage) => void;
}

/** An outage that is over. */
export interface Outage {
  readonly name: string;
  readonly from: Date;
  readonly lastedMs: number;
}

/** Time that the store is there between two outages, however long the first took. */
const BREATH_MS = 1_000;

/** Every outage in turn, in orders of chance, until it is over; resolves after the last one. */
export async function dealInTurn(rhythm: Rhythm): Promise<readonly Outage[]> {
  const { everyMs, isOver, onOutage } = rhythm;
  const dealt: Outage[] = [];
  let dueAt = performance.now();
  for (const blow of inTurn(rhythm)) {
    await delay(Math.max(BREATH_MS, dueAt - performance.now()));
    if (isOver()) break;
    const from = new Date();
    dueAt = performance.now() + everyMs;
    const began = performance.now();
    await blow.strike();
    const outage = { name: blow.name, from, lastedMs: Math.round(performance.now() - began) };
    dealt.push(outage);
    onOutage(outage);
  }
  return dealt;
}

function* inTurn({ outages, random }: Rhythm): Generator<Blow> {
  for (;;) {
    const left = [...outages];
    while (left.length > 0) yield left.splice(random.between(0, left.length - 1), 1)[0]!;
  }
}
