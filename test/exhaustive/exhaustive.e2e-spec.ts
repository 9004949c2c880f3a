import { availableParallelism } from 'node:os';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { turnOfCode } from '../trial/turn.js';
import { CASES } from './cases.js';
import { FAULT_KINDS } from './fault-kinds.js';
import { GATE } from './gate.js';
import { verdictText } from './judge-mutant.js';
import { Judges } from './judges.js';
import { FAULTS_NEEDED } from './mutants-found.js';
import { placementsOf, textOf } from './placement.js';
import { playCase } from './play-case.js';
import type { Failure } from './sweep.js';
import { caseText, failureText, totalText, turnText } from './sweep-text.js';
import { playShares } from './workers.js';

/** A quiet machine of two cores takes two minutes for everything here. */
const LIMIT = 60 * 60_000;

it(
  'no promise is broken by any fault, nor by those pairs of faults that there is time for',
  async () => {
    const started = performance.now();
    const turn = turnOfCode();
    const job = { cases: GATE, turn, mutant: null, faults: 2, failuresMax: 5 };
    const summaries = await playShares(job, availableParallelism(), () => {});
    const seconds = (performance.now() - started) / 1_000;
    const lines = [...summaries.map(caseText), totalText(summaries, seconds), turnText(turn)];
    process.stdout.write(`${lines.join('\n')}\n`);
    const failures = summaries.flatMap((summary) => summary.failures);
    expect(failures.map((failure) => failureText(failure, null)).join('\n')).toBe('');
    expect(summaries.map(({ name }) => name)).toEqual(CASES.map(({ name }) => name));
    const every = new Map(GATE.map((sample) => [sample.name, sample.every]));
    for (const { name, pairs, played } of summaries) {
      // Which of them chance takes differs from turn to turn.
      const least = Math.floor(pairs / every.get(name)! / 4);
      expect(`${name} ${least > 0 && played[2] > least}`).toBe(`${name} true`);
    }
  },
  LIMIT,
);

it(
  'every kind of fault has its place',
  async () => {
    const placed = new Set<string>();
    for (const task of CASES) {
      const plain = await playCase({ task, placements: [] }, { looksAhead: true });
      for (const { fault } of plain.next) placed.add(fault);
    }
    expect(Object.keys(FAULT_KINDS).filter((name) => !placed.has(name))).toEqual([]);
  },
  LIMIT,
);

it(
  'a plan is a run: played again, everything happens again',
  async () => {
    for (const task of CASES) {
      const { next } = await playCase({ task, placements: [] }, { looksAhead: true });
      for (const place of next.filter((_, index) => index % 20 === 0)) {
        const placements = placementsOf(textOf([place])) ?? [];
        const { traceHash } = await playCase({ task, placements: [place] });
        const again = await playCase({ task, placements });
        expect(`${textOf(placements)} ${again.traceHash}`).toBe(`${textOf([place])} ${traceHash}`);
      }
    }
  },
  LIMIT,
);

it('a fault that strikes nothing is no run of the model', async () => {
  const [task] = CASES;
  const run = { task: task!, placements: [{ at: 9_999, fault: 'crash' }] } as const;
  const { violations } = await playCase(run);
  expect(violations.map(({ invariant }) => invariant)).toEqual(['MODEL']);
});

const FEW = Object.entries(FAULTS_NEEDED).filter(([, faults]) => faults === 0 || faults === 1);

describe('a bug that is put in', () => {
  const judged = new Map<string, Failure | null>();

  beforeAll(async () => {
    const names = FEW.map(([name]) => name);
    const judges = new Judges(names, (name, found) => void judged.set(name, found));
    await judges.judge(1, availableParallelism());
  }, LIMIT);

  it.each(FEW)('%s is found with %d faults', (name, needed) => {
    const found = judged.get(name) ?? null;
    process.stdout.write(`${verdictText(name, found)}\n`);
    expect(placementsOf(found?.placements ?? '?')).toHaveLength(needed ?? 0);
  });
});
