import { describe, expect, it } from '@jest/globals';
import { playHistory } from './history.js';
import { MUTANTS } from './mutants/index.js';
import { simulate } from './simulate.js';
import { failuresText, summaryText } from './summary-text.js';

const MINUTE = 60_000;
const SEEDS = 2_000;

/** What histories must contain now and then, or they prove little. */
const MUST_HAPPEN = [
  'broker away',
  'broker wiped',
  'crashed',
  'did not start',
  'dispatched again',
  'drained',
  'effect after its rollback refused',
  'effect repeated',
  'effect without its process',
  'empty rollback',
  'forged message',
  'frozen',
  'handed back',
  'killed',
  'late outcome ignored',
  'lease lost',
  'lost race',
  'message lost',
  "person's action done",
  "person's action none",
  "person's action refused",
  'publish refused',
  'publish unclear',
  'publishing known to be in vain',
  'redelivered',
  'rollback failed',
  'stale message dropped',
  'stale read',
  'stale token refused',
  'store down',
  'timed out',
  'unclear write: was not stored',
  'unclear write: was stored',
  'write that landed late',
];

it(
  `no promise is broken in ${SEEDS} histories full of trouble`,
  async () => {
    const summary = await simulate({ from: 1, seeds: SEEDS, mutant: null });
    process.stdout.write(`${summaryText(summary)}\n`);
    expect(failuresText(summary, null)).toBe('');
    const missing = MUST_HAPPEN.filter((name) => !summary.sightings.has(name));
    expect(missing).toEqual([]);
  },
  MINUTE,
);

it(
  'a seed is a history: played again, everything happens again',
  async () => {
    for (let seed = 1; seed <= 100; seed++) {
      const { traceHash } = await playHistory(seed);
      const again = await playHistory(seed);
      expect(`${seed} ${again.traceHash}`).toBe(`${seed} ${traceHash}`);
    }
  },
  MINUTE,
);

describe('a bug that is put in is found', () => {
  it.each(MUTANTS.map((mutant) => ({ mutant, bug: mutant.bug })))(
    '$bug',
    async ({ mutant }) => {
      const { failed, played } = await simulate({ from: 1, seeds: SEEDS, mutant });
      const [found] = failed[0]?.violations ?? [];
      process.stdout.write(`${mutant.name}: ${found?.invariant}, ${played} histories\n`);
      expect(found).toBeDefined();
    },
    MINUTE,
  );
});
