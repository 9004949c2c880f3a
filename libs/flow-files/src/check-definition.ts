import type { Action, FlowDefinition, StepPlan } from '#core';
import type { Half } from './build-action.js';
import { examineAction } from './check-command.js';
import { listsOf } from './doctor/list-view.js';
import { clip } from './json-document.js';
import type { KnownCommands } from './known-commands.js';
import type { ProblemCode } from './problem.js';

/** Why a step of a flow could not run now. */
export interface RunFault {
  readonly code: ProblemCode;
  readonly message: string;
  readonly hint: string;
}

/** More than a person mends at once. */
const FAULTS_MAX = 20;

/**
 * Why a task of a flow could not succeed, by the executors there are now: commands that nobody
 * serves, and constants that they refuse. The problems that a file with this flow would have.
 */
export function faultsOfRun(definition: FlowDefinition, known: KnownCommands): readonly RunFault[] {
  const faults: RunFault[] = [];
  for (const { steps } of listsOf(definition)) {
    for (const step of steps) {
      for (const [half, action] of actionsOf(step)) {
        const { problems } = examineAction(action, half, known);
        for (const { code, hint, message, pointer } of problems) {
          const where = `Step \`${clip(step.name)}\`, ${half}${pointer}`;
          faults.push({ code, message: `${where}: ${message}`, hint });
          if (faults.length === FAULTS_MAX) return faults;
        }
      }
    }
  }
  return faults;
}

function actionsOf({ normal, rollback }: StepPlan): readonly (readonly [Half, Action])[] {
  return [
    ...(normal ? [['normal', normal] as const] : []),
    ...(rollback ? [['rollback', rollback] as const] : []),
  ];
}
