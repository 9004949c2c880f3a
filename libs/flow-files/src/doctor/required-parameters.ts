import type { Action, FlowDefinition, StepPlan } from '#core';
import type { Half } from '../build-action.js';
import { requiredIn } from '../declared-members.js';
import { clip } from '../json-document.js';
import type { KnownCommands } from '../known-commands.js';
import { nearMeant } from '../near-name-hint.js';
import type { Finding } from '../problem.js';
import type { ListView } from './list-view.js';
import { meantBy, pathOf } from './meant-parameter.js';
import {
  outwards,
  ParameterSight,
  type ParameterSource,
  standingOf,
  type Viewpoint,
} from './sight.js';

/** A parameter that a command requires and that may not be there. */
interface LackingParameter extends Pick<Finding, 'message' | 'hint'> {
  /** `MISSING_PARAMETER`: it is never there. `UNCERTAIN_PARAMETER`: it may be. */
  readonly code: 'MISSING_PARAMETER' | 'UNCERTAIN_PARAMETER';
  readonly step: StepPlan;
  readonly half: Half;
}

/**
 * The parameters that commands of a flow require, by the schemas that their executors announce, and
 * that nothing gives them for certain. Commands without a schema require nothing.
 */
export function* lackingParameters(
  definition: FlowDefinition,
  lists: readonly ListView[],
  known: KnownCommands,
): Generator<LackingParameter> {
  const sight = new ParameterSight(definition);
  for (const list of lists) {
    for (const [position, step] of list.steps.entries()) {
      for (const need of needsOf(step, known)) {
        const sees = need.half === 'normal' ? 'before' : 'itself';
        const lack = lackOf(need, { list, position, sees }, sight);
        if (lack !== null) yield { step, half: need.half, ...lack };
      }
    }
  }
}

/** A parameter that an action does not give itself, and that its command requires. */
interface Need {
  readonly half: Half;
  readonly action: Action;
  readonly name: string;
}

function* needsOf({ normal, rollback }: StepPlan, known: KnownCommands): Generator<Need> {
  const forward = normal === undefined ? [] : requiredBy(normal, known);
  if (normal !== undefined) {
    for (const name of forward) {
      if (!gives(normal, name)) yield { half: 'normal', action: normal, name };
    }
  }
  if (!rollback) return;
  for (const name of requiredBy(rollback, known)) {
    // An action whose command lacked it did not begin, so nothing of it is undone.
    const isThere = gives(rollback, name) || gives(normal, name) || forward.includes(name);
    if (!isThere) yield { half: 'rollback', action: rollback, name };
  }
}

function gives(action: Action | undefined, name: string): boolean {
  return Object.hasOwn(action?.parameters ?? {}, name);
}

/** The members that every build of a command requires. */
function requiredBy({ command, module }: Action, known: KnownCommands): readonly string[] {
  const isServed = known.modules().includes(module);
  const schemas = (isServed && known.schemas?.(module, command)) || [];
  const [first = [], ...others] = schemas.map(requiredIn);
  return first.filter((name) => others.every((names) => names.includes(name)));
}

type Lack = Omit<LackingParameter, 'half' | 'step'>;

/** Null: it is there. */
function lackOf(need: Need, from: Viewpoint, sight: ParameterSight): Lack | null {
  const isConditional = dependsOnCondition(from);
  // A condition may tell the first round from others, or ask whether a parameter is there.
  const source = sight.sourceOf(need.name, from, isConditional ? 'any' : 'first');
  if (source.kind === 'given' || (source.kind === 'request' && isConditional)) return null;
  const name = `\`${clip(need.name)}\``;
  const requires = `\`${clip(need.action.module)}.${clip(need.action.command)}\` requires ${name}`;
  if (source.kind === 'nothing') {
    const message = `${requires}, and nothing gives it.`;
    return { code: 'MISSING_PARAMETER', message, hint: cureOf(need, from, sight) };
  }
  return { code: 'UNCERTAIN_PARAMETER', ...doubt(source, { name, requires, from, need }) };
}

function cureOf(need: Need, from: Viewpoint, sight: ParameterSight): string {
  const misspelt = nearMeant(need.name, Object.keys(need.action.parameters ?? {}));
  const name = `\`${clip(need.name)}\``;
  if (misspelt !== undefined) return `Did you mean ${name} by \`${clip(misspelt)}\`?`;
  const meant = meantBy(need.name, from, sight);
  if (meant !== undefined) return `Did you mean ${given(need, meant)}?`;
  return `Add ${name} to \`parameters\` of the action, to \`input\` or to \`constants\`.`;
}

function doubt(
  source: Exclude<ParameterSource, { kind: 'given' | 'nothing' }>,
  words: Words,
): Pick<Lack, 'message' | 'hint'> {
  const { from, name, need, requires } = words;
  if (source.kind !== 'output') {
    const message = `${requires}, and a request may leave it out.`;
    const hint = `Add ${name} to \`required\` of \`input\`, or to \`parameters\` of the action.`;
    return { message, hint };
  }
  if (source.of === from.list.steps[from.position]) {
    const message = `${requires}, and only the output of its own step may give it.`;
    const hint =
      `A step that fails may have no output: add ${name} to \`parameters\` of one of its` +
      ' actions, or let the command do without it.';
    return { message, hint };
  }
  const { name: giver } = source.of;
  const message = `${requires}, and only the output of an earlier command may give it.`;
  const declare = `add it to \`input\` or \`constants\`.`;
  // A child task sees the parameters around it, and no steps.
  const isSeen = standingOf(giver, from) === 'before';
  const path = pathOf(isSeen ? ['$steps', giver, need.name] : [need.name]);
  const hint = `If \`${clip(giver)}\` returns it, write ${given(need, path)}; else ${declare}`;
  return { message, hint };
}

/** A parameter as an action gives it. */
function given({ name }: Need, expression: string): string {
  return `"parameters": {${JSON.stringify(clip(name))}: "{% ${expression} %}"}`;
}

interface Words {
  readonly from: Viewpoint;
  readonly need: Need;
  /** The parameter, in backticks. */
  readonly name: string;
  /** The beginning of the sentence. */
  readonly requires: string;
}

/** Whether a step is run only now and then, wherever its flow is. */
function dependsOnCondition(from: Viewpoint): boolean {
  return [...outwards(from)].some(({ list, position }) => {
    const condition = list.steps[position]?.if ?? true;
    return condition !== true || list.kind === 'case' || list.kind === 'catch';
  });
}
