import type { FlowDefinition, StepPlan } from '#core';
import { heldAsWritten } from '#core/children';
import { innerLists } from '#core/flow';
import type { FlowStore } from '#ports';
import { nearName } from '#wording';
import type { StepFault } from './flow-test.js';

/** The steps of a flow, and of the flows of its child tasks, at any depth. */
interface KnownSteps {
  readonly steps: readonly StepPlan[];
  /** Some are known only once a task is there. */
  readonly isOpen: boolean;
}

/** Refuses faults of steps that a flow does not have, or that are no commands. */
export async function expectSteps(
  flow: string,
  faults: readonly StepFault[],
  flows: Pick<FlowStore, 'getFlow'>,
): Promise<void> {
  if (faults.length === 0) return;
  const found = await flows.getFlow(flow);
  // The request for the task is refused, with a reason.
  if (found === null) return;
  const known = await knownSteps(found.definition, flows);
  for (const fault of faults) expectStep(flow, fault, known);
}

async function knownSteps(
  definition: FlowDefinition,
  flows: Pick<FlowStore, 'getFlow'>,
): Promise<KnownSteps> {
  const definitions = new Map([[definition.name, definition]]);
  const steps: StepPlan[] = [];
  let isOpen = false;
  // A map is gone through with all that is put into it meanwhile: flows of flows come too.
  for (const { steps: written } of definitions.values()) {
    const held = heldAsWritten(written);
    steps.push(...held.steps);
    isOpen ||= held.isOpen;
    for (const { name, version } of held.flows) {
      const child = definitions.has(name) ? null : await flows.getFlow(name, version ?? undefined);
      if (child !== null) definitions.set(name, child.definition);
    }
  }
  return { steps, isOpen };
}

function expectStep(flow: string, fault: StepFault, { isOpen, steps }: KnownSteps): void {
  const { direction = 'normal', step: written } = fault;
  const segments = written.split('/').map((segment) => segment.replace(/[#~][^/]*$/, ''));
  const name = segments.at(-1) ?? '';
  const commands = steps.filter((step) => step.normal !== undefined);
  const unknown = segments.find((segment) => !steps.some((step) => step.name === segment));
  if (unknown !== undefined) {
    if (isOpen) return;
    const near = nearName(unknown, namesOf(steps));
    const meant = near === undefined ? '' : `Did you mean ${near}? `;
    const able = namesOf(commands).join(', ');
    throw new Error(`flow ${flow} has no step ${unknown}. ${meant}It can fail at: ${able}`);
  }
  const meant = steps.filter((step) => step.name === name);
  if (meant.every((step) => step.normal === undefined)) {
    throw new Error(`step ${name} of flow ${flow} is no command. ${remedyFor(meant)}`);
  }
  if (direction === 'rollback' && meant.every((step) => (step.rollback ?? null) === null)) {
    const able = namesOf(commands.filter((step) => (step.rollback ?? null) !== null));
    throw new Error(
      `step ${name} of flow ${flow} has no rollback. These have one: ${able.join(', ')}`,
    );
  }
}

/** How a step fails that is no command. */
function remedyFor(steps: readonly StepPlan[]): string {
  if (steps.some(({ approve }) => approve !== undefined)) return 'Reject it with `reject`';
  const inner = heldAsWritten(steps.flatMap((step) => innerLists(step).flat())).steps;
  const names = namesOf(inner.filter((step) => step.normal !== undefined));
  if (names.length === 0) return 'It cannot be made to fail';
  return `Name a step in it: ${names.join(', ')}`;
}

function namesOf(steps: readonly StepPlan[]): readonly string[] {
  return [...new Set(steps.map(({ name }) => name))];
}
