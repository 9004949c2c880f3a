import { availableParallelism } from 'node:os';
import { expect, it } from '@jest/globals';
import { findMutant } from '../simulation/mutants/index.js';
import { CASES } from './cases.js';
import { FAULT_KINDS } from './fault-kinds.js';
import { GATE } from './gate.js';
import { judgeMutant } from './judge-mutant.js';
import { FAULTS_NEEDED } from './mutants-found.js';
import { placementsOf, textOf } from './placement.js';
import { playCase } from './play-case.js';
import { caseText, failureText, totalText } from './sweep-text.js';
import { playShares } from './workers.js';

/** A quiet machine of two cores takes a minute and a half for everything here. */
const LIMIT = 60 * 60_000;

/** Names of the tasks with groups. */
const HAS_GROUPS = /^(group|nested)/;

it(
  'no promise is broken by any fault, nor by those pairs of faults that there is time for',
  async () => {
    const started = performance.now();
    const job = { cases: GATE, mutant: null, faults: 2, failuresMax: 5 };
    const summaries = await playShares(job, availableParallelism(), () => {});
    const seconds = (performance.now() - started) / 1_000;
    const lines = [...summaries.map(caseText), totalText(summaries, seconds)];
    process.stdout.write(`${lines.join('\n')}\n`);
    const failures = summaries.flatMap((summary) => summary.failures);
    expect(failures.map((failure) => failureText(failure, null)).join('\n')).toBe('');
    expect(summaries.map(({ name }) => name)).toEqual(CASES.map(({ name }) => name));
    for (const { name, played } of summaries) {
      const least = HAS_GROUPS.test(name) ? 300 : 1_000;
      expect(`${name} ${played[2] > least}`).toBe(`${name} true`);
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

it.each(FEW)(
  '%s is found with %d faults',
  async (name, needed) => {
    const found = await judgeMutant(findMutant(name), { faults: 1, threads: 1 });
    process.stdout.write(`${found === null ? 'not found' : failureText(found, name)}\n`);
    expect(placementsOf(found?.placements ?? '?')).toHaveLength(needed ?? 0);
  },
  LIMIT,
);
