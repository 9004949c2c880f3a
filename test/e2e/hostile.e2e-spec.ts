import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { faultsOf, playSalvo, Range, salvoText, SUBJECTS } from '../hostile/index.js';
import { Trial } from '../trial/index.js';

/** Rules about time are strict in `npm run hostile`. Here others work on the machine as well. */
const PATIENCE = 30;
/** Beside a salvo, `/livez` may be so much slower than it is without, on the same machine. */
const SLOWER = 20;
const LIVEZ_MS = 1_000;
/** How long others take the machine away is chance: in one salvo of so many they must not. */
const SALVOS = 4;

jest.setTimeout(480_000);

describe.each(SUBJECTS)('what a stranger does: $name', (subject) => {
  const trial = new Trial('hostile');
  let range: Range;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      range = trial.use(new Range({ folder: trial.folder, subject, patience: PATIENCE }));
    }),
  );
  afterAll(() => trial.close());

  for (const reproduction of subject.reproductions) {
    trial.it(reproduction.rule, async () => {
      const { fault } = await range.play(reproduction);
      expect(fault).toBeNull();
    });
  }
});

/** 192 MiB of it is room for what is young, which throughput needs; the goal is 512. */
const MEMORY_MIB = 600;

describe('every rule', () => {
  it('has a name of its own', () => {
    const rules = SUBJECTS.flatMap(({ reproductions }) => reproductions.map(({ rule }) => rule));
    expect(rules).toEqual([...new Set(rules)]);
  });
});

describe('a salvo of the largest requests', () => {
  const trial = new Trial('salvo');
  beforeAll(trial.guard(() => trial.open()));
  afterAll(() => trial.close());

  trial.it('is answered, in bounded memory, and lets /livez through', async () => {
    const slow: number[] = [];
    while (slow.length < SALVOS) {
      const folder = path.join(trial.folder, `salvo-${slow.length + 1}`);
      const figures = await playSalvo({ folder, rounds: 1 });
      console.log(salvoText(figures));
      const { beside, calm } = figures;
      expect(faultsOf(figures, { livezP99Ms: Infinity, memoryMib: MEMORY_MIB })).toEqual([]);
      const limit = Math.max(LIVEZ_MS, calm.p99 * SLOWER);
      if (beside.p99 <= limit && beside.max < 2 * limit) return;
      slow.push(Math.round(beside.p99));
    }
    throw new Error(`/livez waited ${slow.join(', ')} ms at p99, salvo after salvo`);
  });
});
