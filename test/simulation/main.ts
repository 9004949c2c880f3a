/** `npm run simulate -- --seeds N [--from S] [--mutant NAME]`: histories of the whole protocol. */
import { parseArgs } from 'node:util';
import { playHistory } from './history.js';
import type { Mutant } from './mutant.js';
import { MUTANTS } from './mutants/index.js';
import { simulate } from './simulate.js';
import { endOf, failuresText, historyText, summaryText } from './summary-text.js';

const USAGE = `usage: npm run simulate -- --seeds N [--from S] [--mutant NAME] [--trace]

--seeds N      how many histories (100); each is all that its seed says
--from S       the first seed (1)
--mutant NAME  with a bug put in: how soon is it found, and by what? "all" tries every one
--trace        tell what happens in the first history, step by step`;

const { values } = readArguments();
const from = Number(values.from);
const seeds = Number(values.seeds);
if (!Number.isInteger(seeds) || seeds < 1 || !Number.isInteger(from)) fail('how many, from where?');
const mutants = findMutants(values.mutant);
const results = [];
for (const mutant of mutants) results.push(await (values.trace ? trace(mutant) : play(mutant)));
process.exitCode = results.every(Boolean) ? 0 : 1;

/** Whether everything was as it should be: no violation, or with a mutant, one. */
async function play(mutant: Mutant | null): Promise<boolean> {
  const summary = await simulate({ from, seeds, mutant });
  const [first] = summary.failed;
  if (mutant !== null) {
    const [found] = first?.violations ?? [];
    const how = found ? `by ${found.invariant}: ${found.message}` : 'not at all';
    console.log(`${mutant.name}: found after ${summary.played} histories, ${how}`);
    return found !== undefined;
  }
  console.log(summaryText(summary));
  if (first === undefined) return true;
  console.log(failuresText(summary, mutant));
  console.log(historyText(endOf(await playHistory(first.seed, { isTold: true })), mutant));
  return false;
}

async function trace(mutant: Mutant | null): Promise<boolean> {
  const result = await playHistory(from, { mutant, isTold: true });
  console.log(historyText(result, mutant));
  return result.violations.length > 0 === (mutant !== null);
}

function readArguments() {
  try {
    return parseArgs({
      options: {
        seeds: { type: 'string', default: '100' },
        from: { type: 'string', default: '1' },
        mutant: { type: 'string' },
        trace: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return fail((error as Error).message);
  }
}

function findMutants(name: string | undefined): readonly (Mutant | null)[] {
  if (name === undefined) return [null];
  if (name === 'all') return MUTANTS;
  const list = MUTANTS.map((mutant) => `  ${mutant.name}: ${mutant.bug}`).join('\n');
  return [MUTANTS.find((mutant) => mutant.name === name) ?? fail(`the mutants are:\n${list}`)];
}

function fail(message: string): never {
  console.error(`${message}\n\n${USAGE}`);
  process.exit(2);
}
