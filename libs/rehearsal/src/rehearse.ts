import type { StepPlan } from '#core';
import { failsOnce, type Fault, fails, type How, HOWS, type Where, WHERES } from './fault.js';
import type { Started } from './outsiders.js';
import { type Ended, Play } from './play.js';
import type { PlayOptions } from './play-options.js';
import { RememberedAnswers } from './remembered-answers.js';
import type { RehearsedFlow } from './scenario.js';
import { judge, type Verdict } from './verdict.js';

/** One fault, and what it came to. */
export interface Cell extends Verdict {
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
export interface Rehearsal {
  /** Nothing went wrong but what the scenario says. */
  readonly undisturbed: Verdict;
  /** Virtual time that this took, in milliseconds. */
  readonly tookMs: number;
  readonly cells: readonly Cell[];
}

/** What goes wrong in one cell. */
interface Plan extends Pick<Cell, 'direction' | 'given' | 'how' | 'run' | 'step' | 'where'> {
  readonly faults: readonly Fault[];
}

/** A run that something may go wrong in. */
interface Target {
  readonly run: string;
  readonly step: StepPlan;
  /** What must have gone wrong before, so that it begins. */
  readonly given: readonly Fault[];
}

const NUMBERED = /#\d+\//g;

/**
 * Plays a flow once undisturbed, and then once for each run that is reached, each moment of it and
 * each way to go wrong. Of runs that differ only by a number, a round, a try or a child task, the
 * first and the last stand for all. Never looks at a clock.
 */
export async function rehearse(
  flow: RehearsedFlow,
  options: Omit<PlayOptions, 'faults'>,
): Promise<Rehearsal> {
  const evaluator = new RememberedAnswers(options.evaluator);
  const play = (faults: readonly Fault[]): Promise<Ended> => {
    return new Play(flow, { ...options, evaluator, faults }).run();
  };
  const ended = await play([]);
  const known = new Set(ended.started.map(pathOf));
  const targets = targetsOf(ended, []);
  const cells: Cell[] = [];
  for (let target = targets.shift(); target !== undefined; target = targets.shift()) {
    for (const plan of plansFor(target)) {
      const disturbed = await play(plan.faults);
      const { faults, ...about } = plan;
      cells.push({ ...about, ...judge(disturbed) });
      if (target.given.length > 0) continue;
      // What only a failure has begin may fail as well: the steps of a catch, another case.
      const fresh = disturbed.started.filter((one) => !known.has(pathOf(one)));
      fresh.forEach((one) => known.add(pathOf(one)));
      targets.push(...targetsOf({ started: fresh }, faults));
    }
  }
  return { undisturbed: judge(ended), tookMs: ended.tookMs, cells };
}

function pathOf({ direction, run }: Started): string {
  return `${direction} ${run.replaceAll(NUMBERED, '#*/')}`;
}

function targetsOf({ started }: Pick<Ended, 'started'>, given: readonly Fault[]): Target[] {
  const byPath = new Map<string, Started[]>();
  for (const one of started) {
    if (one.direction !== 'normal') continue;
    const alike = byPath.get(pathOf(one));
    if (alike === undefined) byPath.set(pathOf(one), [one]);
    else alike.push(one);
  }
  return [...byPath.values()].flatMap((alike) => {
    const ends = alike.length > 1 ? [...alike.slice(0, 1), ...alike.slice(-1)] : alike;
    return ends.map(({ plan, run }) => ({ run, step: plan, given }));
  });
}

function plansFor(target: Target): readonly Plan[] {
  const { given, run, step } = target;
  const about = { run, step: step.name, given: given[0]?.run ?? null };
  const plan = (fault: Fault, before: readonly Fault[]): Plan => {
    const { direction, how, where } = fault;
    return { ...about, direction, how, where, faults: [...before, fault] };
  };
  if (step.normal === undefined) {
    return silences(step).map((how) => plan(fails(run, 'before', how), given));
  }
  const forward = everyFault((where, how) => plan(fails(run, where, how), given));
  const undo = step.rollback;
  if (!undo) return forward;
  // It is undone because it fails itself, which no scope and no later step can keep it from.
  const turned = [...given, fails(run, 'after', 'error')];
  const back = everyFault((where, how) => plan(failsOnce(run, where, how), turned));
  // Nothing gets over a rollback that hangs for as long as all of its attempts may take.
  const isBounded = undo.attemptTimeoutMs !== null;
  return [...forward, ...back.filter(({ how }) => how !== 'time-out' || isBounded)];
}

function everyFault<T>(make: (where: Where, how: How) => T): T[] {
  return WHERES.flatMap((where) => HOWS.map((how) => make(where, how)));
}

/** How a step goes wrong that somebody outside answers: by a no, or by silence. */
function silences({ approve, wait }: StepPlan): readonly How[] {
  const timeoutMs = wait !== undefined && 'signal' in wait ? wait.timeoutMs : approve?.timeoutMs;
  const silence: readonly How[] = (timeoutMs ?? null) === null ? [] : ['time-out'];
  return approve === undefined ? silence : ['error', ...silence];
}
