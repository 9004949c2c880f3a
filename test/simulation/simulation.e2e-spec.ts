import { expect, it } from '@jest/globals';
import { playsAll } from '../trial/plays-all.js';
import { turnOfCode } from '../trial/turn.js';
import { findAgain, huntMutants, playAgain, runCampaign } from './campaign.js';
import { playHistory } from './history.js';
import type { Mutant } from './mutant.js';
import { EQUIVALENT_MUTANTS, MUTANTS, PAIRS } from './mutants/index.js';
import { keptSeeds } from './regress.js';
import { failuresText, huntedText, summaryText } from './summary-text.js';

const LIMIT = 60 * 60_000;
/** Seeds that are the same ones every time. */
const FIRST_SEEDS = 4_000;
/** Those of them that have their turn: they contain everything that must happen. */
const SEEDS = playsAll() ? FIRST_SEEDS : 1_500;
/** As many of these are played at once; after them others, until everything has happened. */
const SHARE = playsAll() ? SEEDS : 250;
/** Shares that are played in any case. */
const SHARES_MIN = 2;
/** Others with each change of the code, behind all of those. */
const SEEDS_OF_CODE = playsAll() ? 2_000 : 300;
/** Histories some of whose modules workers serve. */
const SEEDS_WITH_WORKERS = playsAll() ? 1_000 : 150;
/** Every mutant must be found in the first of them: first of all where it was found last. */
const SEEDS_FOR_MUTANTS = 3_000;
/** One in a number of mutants is sought with each change, if it was not found there again. */
const TURNS_FOR_MUTANTS = playsAll() ? 1 : 4;
/** Histories in which a harmless mutant breaks no promise. */
const SEEDS_FOR_HARMLESS = playsAll() ? 3_000 : 30;
/** Histories that are played twice. */
const SEEDS_PLAYED_AGAIN = playsAll() ? 200 : 40;

/** Events that histories must contain now and then, or they prove little. */
const MUST_HAPPEN = [
  'alert delivered',
  'answer lost at a failover',
  'broker away',
  'broker wiped',
  'clock jumped by an hour',
  'crash charged as a failure',
  'crashed',
  'did not start',
  'disk full',
  'dispatched again',
  'drained',
  'effect after its rollback refused',
  'effect repeated',
  'effect without its process',
  'empty rollback',
  'expired',
  'failed rollback resumed by a person',
  'failed rollback skipped by a person',
  'failover',
  'flow edited',
  'document of a message that is not the stored one',
  'forged document in a message',
  'forged message',
  'frozen',
  'group at the fourth depth begun',
  'group begun',
  'group begun anew in a new try around it',
  'group tried again',
  'group tried again more than once',
  'group turned: called_off',
  'group turned: scope_timed_out',
  'group turned: step_failed',
  'due tasks left to others',
  'group turned: step_timed_out',
  'group turned: undone',
  'handed back',
  'key whose task is not stored',
  'killed',
  'late effect of a zombie',
  'late outcome ignored',
  'lease lost',
  'left to another build',
  'lost race',
  'message lost',
  'no build had the command',
  'not started again after a crash',
  'nothing to undo of a refused step',
  "person's action done",
  "person's action none",
  "person's action refused",
  "person's race lost",
  "person's race won",
  'publish refused',
  'publish unclear',
  'publishing known to be in vain',
  'queues crowded',
  'redelivered',
  'message beside urgent ones',
  'message without a place',
  'registry failed',
  'restarts used up',
  'rollback failed',
  'session closed',
  'session ended',
  'session forgotten',
  'session renewed before it was ended',
  'slept over a wrong stamp',
  'stale message dropped',
  'started again after a crash',
  'stale read',
  'stale token refused',
  'stopped',
  'store down',
  'task kept an old version of its flow',
  'timed out',
  'unclear commit found done',
  'unclear commit found undone',
  'unclear write: was not stored',
  'unclear write: was stored',
  'write that landed late',
  'branch turned: called_off',
  'branch turned: step_failed',
  'branch turned: undone',
  'branch waited for others',
  'case turned: step_failed',
  'case turned: undone',
  'catch begun',
  'catch turned: step_failed',
  'catch turned: undone',
  'child task barred',
  'child task begun',
  'children clean',
  'children done',
  'children turned: called_off',
  'children turned: undone',
  'evaluator had no answer',
  'failure caught',
  'failure flow refused',
  'failure flow started',
  'child task held at a point of no return',
  'point of no return passed',
  'round turned: step_failed',
  'round turned: undone',
  'signal taken',
  'outcomes folded into one commit',
  'all slots of a lock held',
  'lock of a step in a scope',
  'task started anew',
  'task waited for a lock',
  'undone with a lock',
  'wide task rolled back',
  'wide task succeeded',
];

/** Events that histories with workers must contain. */
const MUST_HAPPEN_TO_WORKERS = [
  'answer of a poll handed back',
  'answer to a worker lost',
  'delivered claim ended',
  'outcome repeated by a worker',
  'outcome replayed',
  'poll answered again',
  'poll repeated',
  'worker drained by an operator',
  'worker gave back what it had not begun',
  'worker said good-bye',
  'worker was told: cancelled',
  'worker was told: ended',
  'worker was told: lost',
];

it(
  `no promise is broken in those of ${SEEDS} histories full of trouble whose turn it is`,
  async () => {
    const shares = SEEDS / SHARE;
    let missing: readonly string[] = MUST_HAPPEN;
    for (let played = 0; played < shares; played += 1) {
      if (played >= SHARES_MIN && missing.length === 0) break;
      const from = 1 + ((turnOfCode() * SHARES_MIN + played) % shares) * SHARE;
      const summary = await runCampaign({ from, seeds: SHARE });
      process.stdout.write(`from seed ${from}: ${summaryText(summary)}\n`);
      expect(failuresText(summary)).toBe('');
      missing = missing.filter((name) => !summary.sightings.has(name));
    }
    expect(missing).toEqual([]);
  },
  LIMIT,
);

it(
  `no promise is broken in the ${SEEDS_OF_CODE} histories whose turn it is`,
  async () => {
    const from = 1 + FIRST_SEEDS + turnOfCode() * SEEDS_OF_CODE;
    const summary = await runCampaign({ from, seeds: SEEDS_OF_CODE });
    process.stdout.write(`from seed ${from}: ${summaryText(summary)}\n`);
    expect(failuresText(summary)).toBe('');
  },
  LIMIT,
);

it(
  `no promise is broken in ${SEEDS_WITH_WORKERS} histories with workers`,
  async () => {
    const summary = await runCampaign({ from: 1, seeds: SEEDS_WITH_WORKERS, hasWorkers: true });
    process.stdout.write(`${summaryText(summary)}\n`);
    expect(failuresText(summary)).toBe('');
    const missing = MUST_HAPPEN_TO_WORKERS.filter((name) => !summary.sightings.has(name));
    expect(missing).toEqual([]);
  },
  LIMIT,
);

it(
  'no promise is broken in the histories that once broke one',
  async () => {
    const kept = keptSeeds();
    const played = kept.map(({ hasWorkers, kinds = null, seed }) => {
      return { from: seed, hasWorkers, kinds };
    });
    const summaries = await playAgain(played);
    const failed = summaries.flatMap((summary, at) =>
      summary.failures === 0 ? [] : [`once: ${kept[at]!.found}\n${failuresText(summary)}`],
    );
    expect(failed).toEqual([]);
  },
  LIMIT,
);

it(
  'a seed is a history: played again, everything happens again',
  async () => {
    for (let seed = 1; seed <= SEEDS_PLAYED_AGAIN; seed++) {
      const { traceHash } = await playHistory(seed);
      const again = await playHistory(seed);
      expect(`${seed} ${again.traceHash}`).toBe(`${seed} ${traceHash}`);
    }
  },
  LIMIT,
);

it(
  'what comes of histories does not depend on the number of processes that play them',
  async () => {
    const range = { from: 1, seeds: SEEDS_PLAYED_AGAIN, batch: SEEDS_PLAYED_AGAIN / 10 };
    const { seconds: _one, ...alone } = await runCampaign({ ...range, jobs: 1 });
    const { seconds: _three, ...together } = await runCampaign({ ...range, jobs: 3 });
    expect(together).toEqual(alone);
  },
  LIMIT,
);

it(
  `every bug that is put in is found in ${SEEDS_FOR_MUTANTS} histories`,
  async () => {
    const wanted = [...MUTANTS, ...PAIRS];
    const turn = turnOfCode() % TURNS_FOR_MUTANTS;
    const isSought = (one: Mutant): boolean => wanted.indexOf(one) % TURNS_FOR_MUTANTS === turn;
    const hunted = await findAgain(wanted, { from: 1, seeds: SEEDS_FOR_MUTANTS }, isSought);
    process.stdout.write(`${hunted.map(huntedText).join('\n')}\n`);
    const sought = hunted.filter(({ mutant }) => isSought(mutant));
    expect(sought).toHaveLength(wanted.filter(isSought).length);
    expect(hunted.filter(({ found }) => found === null).map(huntedText)).toEqual([]);
  },
  LIMIT,
);

it(
  'what is listed as harmless breaks no promise',
  async () => {
    const harmless = EQUIVALENT_MUTANTS.map(({ mutant }) => mutant);
    const hunted = await huntMutants(harmless, { from: 1, seeds: SEEDS_FOR_HARMLESS });
    expect(hunted.filter(({ found }) => found !== null).map(huntedText)).toEqual([]);
  },
  LIMIT,
);

const WITHOUT_EFFECT = EQUIVALENT_MUTANTS.filter(({ without }) => without === null);

it.each(WITHOUT_EFFECT.map(({ mutant }) => mutant))(
  'histories go with $name as they go without',
  async (mutant) => {
    for (let seed = 1; seed <= SEEDS_PLAYED_AGAIN; seed++) {
      const plain = await playHistory(seed);
      const { traceHash } = await playHistory(seed, { mutant });
      expect(`${seed} ${traceHash}`).toBe(`${seed} ${plain.traceHash}`);
    }
  },
  LIMIT,
);
