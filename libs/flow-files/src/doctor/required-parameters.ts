import type { Action, FlowDefinition, StepPlan } from '#core';
import { declarationOf } from '#core/flow';
import type { Half } from '../build-action.js';
import { requiredIn } from '../declared-members.js';
import { clip } from '../read-json.js';
import type { KnownCommands } from '../known-commands.js';
import { nearMeant } from '../near-name-hint.js';
import type { Finding } from '../problem.js';
import { heldLists, type ListView, memberOf } from './list-view.js';
import {
  outwards,
  ParameterSight,
  type ParameterSource,
  standingOf,
  type Viewpoint,
} from './sight.js';
import type { Examination } from './examination.js';

/** A plain name; any other stands in backticks. */
const PLAIN = /^\$?[A-Za-z_]\w*$/;

/** A place for a value of some name within the output of a step. */
interface OutputPlace {
  readonly path: readonly string[];
  /** False: a command or a signal that may give anything may also give this. */
  readonly isKnown: boolean;
}

/** Lists whose outputs stand right under the name of the step that holds them. */
const IN_OUTPUT: ReadonlySet<string> = new Set(['group', 'case', 'loop']);

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

/** Looks whether commands get the parameters that they require, where their schemas are known. */
export function checkRequired({
  commands,
  definition,
  lists,
  origins,
  problems,
  warnings,
}: Examination): void {
  if (commands === undefined) return;
  for (const { half, step, ...words } of lackingParameters(definition, lists, commands)) {
    const found = words.code === 'MISSING_PARAMETER' ? problems : warnings;
    found.add({ pointer: memberOf(step, origins, half), ...words });
  }
}

/**
 * The expression that the author probably meant by the name of a missing parameter: an output under
 * the name of its step, such as `pick.host`, or a parameter of nearly this name. Undefined: none.
 */
export function meantBy(name: string, from: Viewpoint, sight: ParameterSight): string | undefined {
  const outputs = [...stepsBefore(from)].flatMap((step) => outputsIn(step, name));
  const known = outputs.find(({ isKnown }) => isKnown);
  if (known !== undefined) return pathOf(known.path);
  const near = nearMeant(name, sight.namesAt(from));
  if (near !== undefined) return pathOf([near]);
  const [first] = outputs;
  return first && pathOf(first.path);
}

/** A path in an expression, such as `$steps.check.host`. */
function pathOf(names: readonly string[]): string {
  return names.map((name) => (PLAIN.test(name) ? name : `\`${name}\``)).join('.');
}

/** The steps that come before a place, the nearest one first. */
function* stepsBefore(from: Viewpoint): Generator<StepPlan> {
  for (const view of outwards(from)) {
    for (const step of view.list.steps.toReversed()) {
      if (standingOf(step.name, view) === 'before') yield step;
    }
  }
}

function outputsIn(step: StepPlan, name: string): readonly OutputPlace[] {
  const under = (path: readonly string[], isKnown: boolean): OutputPlace => {
    return { path: [step.name, ...path], isKnown };
  };
  if (declarationOf(step).gives?.includes(name) === true) return [under([name], true)];
  if (step.wait !== undefined && 'signal' in step.wait) return [under([name], false)];
  const branches = (step.parallel ?? []).map((branch) => ({ at: [branch.name], ...branch }));
  const others = [...heldLists(step)].filter(({ kind }) => IN_OUTPUT.has(kind));
  const lists = [...branches, ...others.map(({ steps }) => ({ at: [], steps }))];
  return lists.flatMap(({ at, steps }) => {
    return steps.flatMap((inner) => {
      return writtenBy(inner, name).map(({ isKnown, path }) => under([...at, ...path], isKnown));
    });
  });
}

function writtenBy(step: StepPlan, name: string): readonly OutputPlace[] {
  if (step.normal !== undefined) return [{ path: [name], isKnown: false }];
  if (step.set !== undefined) {
    return Object.hasOwn(step.set, name) ? [{ path: [name], isKnown: true }] : [];
  }
  return step.name === name ? [{ path: [name], isKnown: true }] : outputsIn(step, name);
}
