/** `npm run simulate -- --seeds N [--from S] [--mutant NAME]`: histories of the whole protocol. */
import { parseArgs } from 'node:util';
import { KIND_NAMES, type KindName } from '#core';
import { helpOnRequest } from '../tools/help-on-request.js';
import { type Hunted, huntEverywhere, huntMutants, runCampaign } from './campaign.js';
import { playHistory } from './history.js';
import type { Mutant } from './mutant.js';
import { keepFound } from './mutants/found.js';
import { EQUIVALENT_MUTANTS, MUTANTS, PAIRS } from './mutants/index.js';
import { keepSeeds } from './regress.js';
import { MOMENT_MUTANTS, type MomentMutant } from './schedules/moment-mutants.js';
import { playYears } from './schedules/play-years.js';
import type { Summary } from './summary.js';
import {
  endOf,
  failuresText,
  historyText,
  huntedText,
  lineOf,
  summaryText,
} from './summary-text.js';

const USAGE = `usage: npm run simulate -- --seeds N [--from S] [--jobs N] [--programs KINDS]
                               [--workers] [--mutant NAME] [--trace]
       npm run simulate -- --schedules [--seeds N] [--from S] [--mutant NAME]

--seeds N      how many histories (100, 2000 with a mutant); each is all that its seed says
--from S       the first seed (1)
--jobs N       how many processes play them (one for each core)
--programs KINDS
               programs alone, whose steps are commands and of these kinds: names with commas
               between them, or "all"; the kinds: ${KIND_NAMES.slice(0, 7).join(', ')},
               ${KIND_NAMES.slice(7).join(', ')}
--workers      workers serve some of the modules
--mutant NAME  with a bug put in: how soon is it found, and by what? "all" tries every one
--trace        tell what happens in the first history, step by step
--schedules    years of schedules whose gateways die, instead of histories of tasks

Seeds that fail are added to test/simulation/regress.json, and played by the tests from then on.`;

const EQUIVALENT = new Set(EQUIVALENT_MUTANTS.map(({ mutant }) => mutant));
const ALL: readonly Mutant[] = [...MUTANTS, ...PAIRS, ...EQUIVALENT];

/** How often it is said how far it is. */
const WORD_EVERY_S = 10;
const SEEDS = { plain: 100, mutant: 2_000 };

const { values } = readArguments();
const from = wholeNumber(values.from, 0);
if (values.schedules) {
  const years = { from, seeds: wholeNumber(values.seeds ?? 10, 1), mutant: momentMutant() };
  process.exit((await playYears(years)) ? 0 : 1);
}
const mutants = findMutants(values.mutant);
const kinds = readKinds(values.programs);
const hasWorkers = values.workers;
const seeds = wholeNumber(values.seeds ?? SEEDS[mutants === null ? 'plain' : 'mutant'], 1);
const jobs = wholeNumber(values.jobs, 0);
const isGood = values.trace ? await trace() : await (mutants === null ? play() : hunt(mutants));
process.exitCode = isGood ? 0 : 1;

/** Whether no promise was broken. */
async function play(): Promise<boolean> {
  const summary = await runCampaign({
    ...{ from, hasWorkers, kinds, seeds, jobs },
    onProgress: progress(),
  });
  console.log(summaryText(summary));
  const [first] = summary.failed;
  if (first === undefined) return true;
  keepSeeds(summary.failed);
  console.log(failuresText(summary));
  console.log(
    historyText(endOf(await playHistory(first.seed, { hasWorkers, kinds, isTold: true })), null),
  );
  return false;
}

/** Whether every mutant was found that is one. */
async function hunt(wanted: readonly Mutant[]): Promise<boolean> {
  const isAll = wanted === ALL && from === 1 && kinds === null;
  const campaign = { from, kinds, seeds, jobs };
  const hunted = await (isAll ? huntEverywhere : huntMutants)(wanted, campaign);
  for (const one of hunted) console.log(huntedText(one));
  if (isAll) keepAll(hunted);
  return hunted.every(({ found, mutant }) => (found !== null) === !EQUIVALENT.has(mutant));
}

async function trace(): Promise<boolean> {
  const [mutant = null] = mutants ?? [];
  const result = await playHistory(from, {
    ...{ kinds, mutant, isTold: true },
    hasWorkers: hasWorkers || mutant?.hasWorkers === true,
  });
  console.log(historyText(result, mutant));
  return result.violations.length > 0 === (mutant !== null);
}

function keepAll(hunted: readonly Hunted[]): void {
  keepFound(
    hunted.flatMap(({ found, isAmongPrograms, mutant: { name }, played }) => {
      if (found === null) return [];
      const how = isAmongPrograms ? ({ isAmongPrograms } as const) : {};
      return [{ name, invariant: found.invariant, histories: played, ...how }];
    }),
  );
}

function progress(): (summary: Summary) => void {
  let told = 0;
  return (summary) => {
    if (summary.seconds - told < WORD_EVERY_S || summary.played === seeds) return;
    told = summary.seconds;
    console.error(lineOf(summary));
  };
}

function readArguments() {
  helpOnRequest(USAGE);
  try {
    return parseArgs({
      options: {
        seeds: { type: 'string' },
        from: { type: 'string', default: '1' },
        jobs: { type: 'string', default: '0' },
        programs: { type: 'string' },
        mutant: { type: 'string' },
        workers: { type: 'boolean', default: false },
        trace: { type: 'boolean', default: false },
        schedules: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return fail((error as Error).message);
  }
}

function momentMutant(): MomentMutant | null {
  const { mutant: name } = values;
  if (name === undefined) return null;
  const list = MOMENT_MUTANTS.map((mutant) => `  ${mutant.name}: ${mutant.bug}`).join('\n');
  return MOMENT_MUTANTS.find((mutant) => mutant.name === name) ?? fail(`the mutants are:\n${list}`);
}

function findMutants(name: string | undefined): readonly Mutant[] | null {
  if (name === undefined) return null;
  if (name === 'all') return ALL;
  const list = ALL.map((mutant) => `  ${mutant.name}: ${mutant.bug}`).join('\n');
  return [ALL.find((mutant) => mutant.name === name) ?? fail(`the mutants are:\n${list}`)];
}

/** The kinds of steps that programs are wanted of; null: histories are as their seeds say. */
function readKinds(text: string | undefined): readonly KindName[] | null {
  if (text === undefined) return null;
  if (text === 'all') return KIND_NAMES;
  return text.split(',').map((name) => {
    const kind = KIND_NAMES.find((known) => known === name.trim());
    return kind ?? fail(`there is no kind of step "${name}"`);
  });
}

function wholeNumber(text: string | number, least: number): number {
  const number = Number(text);
  return Number.isInteger(number) && number >= least ? number : fail(`${text} is no such number`);
}

function fail(message: string): never {
  console.error(`${message}\n\n${USAGE}`);
  process.exit(2);
}
