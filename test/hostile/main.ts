/**
 * `npm run hostile [-- --only PATTERN] [--json FILE] [--rounds N]`: everything that is known to
 * hurt, played against a real process, as a table of what was sent and what it cost; then N rounds
 * of the salvo. Exit code 1 where a rule does not hold. Figures are meant for a quiet machine;
 * `--patience 10` is for one that is not.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { helpOnRequest } from '../tools/help-on-request.js';
import { Range } from './range.js';
import { idOf, type Reproduction, type Subject, type Verdict } from './reproduction.js';
import { playSalvo } from './salvo.js';
import { faultsOf, salvoText } from './salvo-text.js';
import { SUBJECTS } from './subjects/index.js';
import { tableHead, tableRow } from './verdict-table.js';

const USAGE = `usage: hostile [--only PATTERN] [--json FILE] [--patience N] [--rounds N]`;

const { json, only, patience, rounds } = readArguments();
const folder = await mkdtemp(path.join(tmpdir(), 'backstep-hostile-'));
const verdicts: Verdict[] = [];
console.log(tableHead());
for (const subject of SUBJECTS) await playSubject(subject);
const failed = verdicts.filter(({ fault }) => fault !== null);
console.log(`\n${verdicts.length - failed.length} of ${verdicts.length} rules hold`);
let isGood = failed.length === 0;
if (rounds > 0) {
  const figures = await playSalvo({ folder: path.join(folder, 'salvo'), rounds });
  const faults = faultsOf(figures, { patience });
  console.log(salvoText(figures, faults));
  isGood &&= faults.length === 0;
}
if (json !== undefined) await writeFile(json, JSON.stringify({ verdicts }, null, 2));
await rm(folder, { recursive: true, force: true, maxRetries: 20 });
process.exit(isGood ? 0 : 1);

async function playSubject(subject: Subject): Promise<void> {
  const chosen = subject.reproductions.filter((entry) => isChosen(subject, entry));
  if (chosen.length === 0) return;
  const place = path.join(folder, subject.name.replaceAll(' ', '-'));
  const range = new Range({ folder: place, subject, patience });
  for (const reproduction of chosen) {
    const verdict = await range.play(reproduction);
    verdicts.push(verdict);
    console.log(tableRow(verdict));
  }
  await range.stop();
}

function isChosen(subject: Subject, reproduction: Reproduction): boolean {
  if (only === undefined) return true;
  const { name } = subject;
  const told = `${idOf(subject, reproduction)} ${name}: ${reproduction.rule}`;
  return told.toLowerCase().includes(only.toLowerCase());
}

function readArguments() {
  helpOnRequest(USAGE);
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string' },
        json: { type: 'string' },
        patience: { type: 'string', default: '1' },
        rounds: { type: 'string', default: '3' },
      },
    });
    const patience = Number(values.patience);
    if (!(patience >= 1)) throw new Error('--patience is a number from 1');
    const rounds = Number(values.rounds);
    if (!(Number.isInteger(rounds) && rounds >= 0)) throw new Error('--rounds is a count');
    return { ...values, patience, rounds };
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`);
    return process.exit(2);
  }
}
