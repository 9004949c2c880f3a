import { TASK_STATUS } from '#core';
import { History, playSafely } from '../simulation/history.js';
import type { Mutant } from '../simulation/mutant.js';
import { type Violation, World } from '../simulation/world.js';
import type { Case } from './cases.js';
import { circumstances, FREEZE_MS } from './circumstances.js';
import { PlacedFaults } from './placed-faults.js';
import type { Placement } from './placement.js';
import { SteadyChance } from './steady-chance.js';

/** How often a person looks for tasks that wait for one, in milliseconds. */
const HELP_EVERY_MS = 1_000;

/** How long after the last fault everything must be in order again, in milliseconds. */
const HEALED_AFTER_MS = FREEZE_MS + 1_000;

/** One run of the model: a task, and what goes wrong. */
export interface Run {
  readonly task: Case;
  readonly placements: readonly Placement[];
}

/** How a run is to be played. */
export interface RunOptions {
  readonly mutant?: Mutant | null;
  /** Keep the trace. */
  readonly isTold?: boolean;
  /** Find out where one more fault could strike. */
  readonly looksAhead?: boolean;
}

/** The result of a run. */
export interface RunResult {
  readonly run: Run;
  readonly violations: readonly Violation[];
  readonly traceHash: string;
  readonly operations: number;
  /** Where one more fault could strike, after all of these; found only where it was asked for. */
  readonly next: readonly Placement[];
  readonly sightings: ReadonlyMap<string, number>;
  readonly lines: readonly string[];
}

/** Plays one run until everything has ended. */
export async function playCase(
  run: Run,
  { isTold = false, looksAhead = false, mutant = null }: RunOptions = {},
): Promise<RunResult> {
  const chance = new SteadyChance();
  const world = new World(circumstances(chance, run.task), mutant, isTold);
  const history = new History(world, (begun) => begin(begun, run));
  const script = new PlacedFaults(history, chance, { ...run, looksAhead });
  world.script = script;
  script.onLast = () => expectEndLater(history);
  await playSafely(history);
  if (hasOnlyKills(run)) expectUnharmed(history);
  if (!script.hasStruck()) world.violate('MODEL', 'a fault was placed where there is nothing');
  const { lines, sightings, traceHash, violations } = world;
  const { count: operations, next } = script;
  return { run, violations, traceHash, operations, next, sightings, lines: lines ?? [] };
}

function begin(history: History, { placements, task }: Run): void {
  const { line } = history.world;
  for (const flow of task.others) history.orders.shelve(flow);
  history.orders.plan(task.definition, { key: 'key', afterMs: 1 });
  if (placements.length === 0) expectEndLater(history);
  const help = (): void => {
    history.persons.help();
    line.after(HELP_EVERY_MS, help);
  };
  help();
}

/** Nothing goes wrong in this run but that processes die. */
function hasOnlyKills({ placements, task }: Run): boolean {
  return task.ending === 'succeeds' && placements.every(({ fault }) => fault === 'crash');
}

/** A crash is nobody's failure: no task turns back because of one, unless its time is over. */
function expectUnharmed({ cluster, world }: History): void {
  for (const { plan, status, turned } of cluster.server.tasks.values()) {
    if (status === TASK_STATUS.succeeded || turned?.why === 'step_timed_out') continue;
    world.violate('I19', `${plan.taskId} ended with status ${status}, and nothing failed`);
  }
}

function expectEndLater(history: History): void {
  const { world } = history;
  world.line.after(HEALED_AFTER_MS, () => history.expectEnd());
}
