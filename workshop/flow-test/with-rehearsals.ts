import type { FlowDefinition } from '#core';
import { ExpressionEvaluator, listedVariables } from '#expressions';
import { changesSomething, readSteps, StepReadingEvaluator } from '#flow-files';
import { SystemClock } from '#machine';
import { type Reach, rehearse, type Rehearsal } from '#workshop/rehearsal';
import type { TestedScenario } from './read-scenarios.js';

/** Environment variables; flows read those that `BACKSTEP_FLOW_ENV` lists. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Tries one scenario of a flow in every way. */
export type Rehearse = (
  definition: FlowDefinition,
  scenario: TestedScenario,
  /** Notes how far the plays come; absent: nobody does. */
  reach?: Reach,
) => Promise<Rehearsal>;

/**
 * Does some work with flows that are tried in memory, and ends the processes of their expressions
 * after it. `all`: the flows that child tasks may be of.
 */
export async function withRehearsals<T>(
  all: readonly FlowDefinition[],
  env: Environment,
  work: (tryFlow: Rehearse) => Promise<T>,
): Promise<T> {
  const listed = listedVariables((env['BACKSTEP_FLOW_ENV'] ?? '').split(','), env);
  const evaluator = new ExpressionEvaluator({ clock: new SystemClock(), env: listed });
  const flows = new Map(all.map((definition) => [definition.name, definition]));
  const reading = new StepReadingEvaluator(evaluator, async (...[steps, known]) =>
    readSteps(steps, known),
  );
  const options = { evaluator: reading, flows, changes: changesSomething };
  try {
    return await work((definition, scenario, reach) => {
      const noted = reach === undefined ? options : { ...options, reach };
      return rehearse({ definition, scenario }, noted);
    });
  } finally {
    await evaluator.close();
  }
}
