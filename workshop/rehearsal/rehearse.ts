import type { StepPlan } from '#core';
import { type How, HOWS } from './fault.js';
import type { Effect } from './effects.js';
import type { Started } from './outsiders.js';
import { Play } from './play.js';
import type { PlayOptions } from './play-options.js';
import { RememberedAnswers } from './remembered-answers.js';
import type { RehearsedFlow } from './scenario.js';
import { type PlayedRun, type Trials, tryEverything } from './try-everything.js';
import { judge } from './verdict.js';

/** A flow as it fares in one scenario, in memory and on a virtual clock. */
export type Rehearsal = Trials<Effect>;

/** Tries a flow in memory, in every way. Never looks at a clock. */
export function rehearse(
  flow: RehearsedFlow,
  options: Omit<PlayOptions, 'faults'>,
): Promise<Rehearsal> {
  const evaluator = new RememberedAnswers(options.evaluator);
  return tryEverything({
    play: async (faults) => {
      const ended = await new Play(flow, { ...options, evaluator, faults }).run();
      const { started, tookMs } = ended;
      return { verdict: judge(ended), started: started.map(playedRun), tookMs };
    },
  });
}

function playedRun({ direction, plan, run }: Started): PlayedRun {
  return { run, direction, ...runnable(plan) };
}

/** How a step can go wrong, as its plan has it. */
function runnable(plan: StepPlan): Omit<PlayedRun, 'direction' | 'run'> {
  const isCommand = plan.normal !== undefined;
  return {
    step: plan.name,
    isCommand,
    silences: isCommand ? [] : silences(plan),
    undoHows: undoHows(plan),
  };
}

/** Nothing gets over a rollback that hangs for as long as all of its attempts may take. */
function undoHows({ rollback }: StepPlan): readonly How[] {
  if (!rollback) return [];
  return rollback.attemptTimeoutMs === null ? HOWS.filter((how) => how !== 'time-out') : HOWS;
}

/** How a step that waits for an outside answer goes wrong: by a no, or by silence. */
function silences({ approve, wait }: StepPlan): readonly How[] {
  const timeoutMs = wait !== undefined && 'signal' in wait ? wait.timeoutMs : approve?.timeoutMs;
  const silence: readonly How[] = (timeoutMs ?? null) === null ? [] : ['time-out'];
  return approve === undefined ? silence : ['error', ...silence];
}
