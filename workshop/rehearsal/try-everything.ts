import { failsOnce, type Fault, fails, type How, HOWS, type Where, WHERES } from './scenario.js';
import type { Verdict } from './rehearse.js';

/** The facts about a run that are needed to make it fail. */
export interface PlayedRun {
  /** Id of the run. */
  readonly run: string;
  /** Name of the step. */
  readonly step: string;
  readonly direction: 'normal' | 'rollback';
  /** Whether it is a command; else the answer comes from outside. */
  readonly isCommand: boolean;
  /** Ways to fail where it is no command. */
  readonly silences: readonly How[];
  /** Ways in which its rollback goes wrong and is got over; empty: it has none. */
  readonly undoHows: readonly How[];
}

/** A settled play. */
export interface Played<Left> {
  readonly verdict: Verdict<Left>;
  /** In the order in which they began. */
  readonly started: readonly PlayedRun[];
  /** Time that it took, in milliseconds. */
  readonly tookMs: number;
}

/** One fault, and its result. */
export interface Cell<Left> extends Verdict<Left> {
  /** Name of the step. */
  readonly step: string;
  /** Id of the run that went wrong. */
  readonly run: string;
  readonly direction: 'normal' | 'rollback';
  readonly where: Where;
  readonly how: How;
  /** Run whose failure had this one begin at all; null: it begins by itself. */
  readonly given: string | null;
}

/** A flow as it fares in one scenario. */
export interface Trials<Left> {
  /** Nothing went wrong but what the scenario says. */
  readonly undisturbed: Verdict<Left>;
  /** Time that this took, in milliseconds. */
  readonly tookMs: number;
  readonly cells: readonly Cell<Left>[];
}

/** How a flow is tried. */
interface TrialOptions<Left> {
  /** Plays the flow once from its start, with these faults, until it rests. */
  readonly play: (faults: readonly Fault[]) => Promise<Played<Left>>;
  /** The moments at which it can go wrong there. */
  readonly wheres?: readonly Where[];
}

/** The faults of one cell. */
interface Plan extends Pick<
  Cell<unknown>,
  'direction' | 'given' | 'how' | 'run' | 'step' | 'where'
> {
  readonly faults: readonly Fault[];
}

/** A run that something may go wrong in. */
interface Target {
  readonly about: PlayedRun;
  /** Faults that must happen before, so that it begins. */
  readonly given: readonly Fault[];
}

const NUMBERED = /#\d+\//g;

/**
 * Plays a flow once undisturbed, and then once for each run that is reached, each moment of it and
 * each way to go wrong. Of runs that differ only by a number, a round, a try or a child task, the
 * first and the last stand for all.
 */
export async function tryEverything<Left>({
  play,
  wheres = WHERES,
}: TrialOptions<Left>): Promise<Trials<Left>> {
  const ended = await play([]);
  const known = new Set(ended.started.map(pathOf));
  const targets = targetsOf(ended.started, []);
  const cells: Cell<Left>[] = [];
  for (let target = targets.shift(); target !== undefined; target = targets.shift()) {
    for (const plan of plansFor(target, wheres)) {
      const disturbed = await play(plan.faults);
      const { faults, ...about } = plan;
      cells.push({ ...about, ...disturbed.verdict });
      // Runs that only a failure started may fail as well: the steps of a catch, another case, and
      // rollbacks of what is no command.
      const isMeant = (one: PlayedRun) => target.given.length === 0 || one.direction === 'rollback';
      const fresh = disturbed.started.filter((one) => isMeant(one) && !known.has(pathOf(one)));
      fresh.forEach((one) => known.add(pathOf(one)));
      targets.push(...targetsOf(fresh, faults));
    }
  }
  return { undisturbed: ended.verdict, tookMs: ended.tookMs, cells };
}

function pathOf({ direction, run }: PlayedRun): string {
  return `${direction} ${run.replaceAll(NUMBERED, '#*/')}`;
}

function targetsOf(started: readonly PlayedRun[], given: readonly Fault[]): Target[] {
  const ends = new Map<string, readonly PlayedRun[]>();
  for (const one of started) {
    // The rollback of a command is tried with the command.
    if (one.direction === 'rollback' && one.isCommand) continue;
    const [first] = ends.get(pathOf(one)) ?? [];
    ends.set(pathOf(one), first === undefined ? [one] : [first, one]);
  }
  return [...ends.values()].flat().map((about) => ({ about, given }));
}

function plansFor({ about, given }: Target, wheres: readonly Where[]): readonly Plan[] {
  const { direction: way, isCommand, run, silences, step, undoHows } = about;
  const plan = (fault: Fault, before: readonly Fault[]): Plan => {
    const { direction, how, where } = fault;
    const faults = [...before, fault];
    return { run, step, given: given[0]?.run ?? null, direction, how, where, faults };
  };
  const all = wheres.flatMap((where) => HOWS.map((how) => ({ where, how })));
  const undo = (turned: readonly Fault[]): Plan[] => {
    const possible = all.filter(({ how }) => undoHows.includes(how));
    return possible.map(({ how, where }) => plan(failsOnce(run, where, how), turned));
  };
  if (way === 'rollback') return undo(given);
  if (!isCommand) return silences.map((how) => plan(fails(run, 'before', how), given));
  const forward = all.map(({ how, where }) => plan(fails(run, where, how), given));
  // It is undone because it fails itself, which no scope and no later step can keep it from.
  return [...forward, ...undo([...given, fails(run, 'after', 'error')])];
}
