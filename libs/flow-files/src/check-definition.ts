import type { Action, FlowDefinition, StepPlan } from '#core';
import type { Half } from './build-action.js';
import { examineAction } from './check-command.js';
import { listsOf } from './doctor/list-view.js';
import { lackingParameters } from './doctor/required-parameters.js';
import { clip } from './read-json.js';
import type { KnownCommands } from './known-commands.js';
import type { Words } from './problem.js';

/** More than a person mends at once. */
const FAULTS_MAX = 20;

/**
 * Why a task of a flow could not succeed, by the executors there are now: commands that nobody
 * serves, constants that they refuse, and parameters that nothing gives them. The problems that a
 * file with this flow would have.
 */
export function faultsOfRun(definition: FlowDefinition, known: KnownCommands): readonly Words[] {
  const faults: Words[] = [];
  for (const { code, hint, message, place, isProblem } of foundIn(definition, known)) {
    if (!isProblem) continue;
    faults.push({ code, message: `${place}: ${message}`, hint });
    if (faults.length === FAULTS_MAX) return faults;
  }
  return faults;
}

/**
 * Remarks on a flow by the executors there are now: sentences, each with its code, on parameters
 * that commands refuse, lack or call deprecated. Commands that nobody serves may come later.
 */
export function remarksOnRun(definition: FlowDefinition, known: KnownCommands): readonly string[] {
  const listed = { ...known, hasOthers: true };
  return [...foundIn(definition, listed)].map(({ code, hint, message, place }) => {
    return `${place}: ${message} ${hint} [${code}]`;
  });
}

/** Something found in an action of a flow that was read before. */
interface Found extends Words {
  /** The step, and the member of it. */
  readonly place: string;
  /** Whether a task of the flow could not succeed. */
  readonly isProblem: boolean;
}

function* foundIn(definition: FlowDefinition, known: KnownCommands): Generator<Found> {
  const lists = [...listsOf(definition)];
  const placeOf = (step: StepPlan, member: string): string => {
    return `Step \`${clip(step.name)}\`, ${member}`;
  };
  for (const step of lists.flatMap(({ steps }) => steps)) {
    for (const [half, action] of actionsOf(step)) {
      const { problems, warnings } = examineAction(action, half, known);
      for (const found of [...problems, ...warnings]) {
        const place = placeOf(step, `${half}${found.pointer}`);
        yield { ...found, place, isProblem: problems.includes(found) };
      }
    }
  }
  for (const { half, step, ...words } of lackingParameters(definition, lists, known)) {
    const isProblem = words.code === 'MISSING_PARAMETER';
    yield { ...words, place: placeOf(step, half), isProblem };
  }
}

function actionsOf({ normal, rollback }: StepPlan): readonly (readonly [Half, Action])[] {
  return [
    ...(normal ? [['normal', normal] as const] : []),
    ...(rollback ? [['rollback', rollback] as const] : []),
  ];
}
