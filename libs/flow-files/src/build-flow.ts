import type {
  Action,
  CommandStep,
  FailurePolicy,
  FlowDefinition,
  GroupStep,
  JsonObject,
  StepPlan,
} from '#core';
import type { CommandCatalogue } from '#ports';
import {
  buildAction,
  buildRetry,
  type Half,
  inside,
  readDuration,
  type Site,
} from './build-action.js';
import { nameSteps, orderSteps, type StepsPlace } from './flow-steps.js';
import { checkInputSchema, inputWarnings } from './input-schema.js';
import { clip } from './json-document.js';
import { nearNameHint } from './near-name-hint.js';
import type { Finding, ProblemList } from './problem.js';
import type {
  WrittenAction,
  WrittenCommandStep,
  WrittenFlow,
  WrittenGroupStep,
  WrittenLongFlow,
  WrittenStep,
} from './written-flow.js';

/** The commands that executors have, as far as known. */
export type KnownCommands = Pick<CommandCatalogue, 'modules' | 'commands'>;

/** What a flow is built from. */
export interface FlowSource {
  readonly name: string;
  readonly written: WrittenFlow;
  readonly site: Site;
  /** Where to say what the author should know of a flow that is sound otherwise. */
  readonly warnings: ProblemList;
  /** Absent: modules and commands are not checked. */
  readonly commands?: KnownCommands | undefined;
}

/** A definition with every default filled in. What is wrong is added to the site's problems. */
export function buildFlow(source: FlowSource): FlowDefinition {
  const { name, written, site } = source;
  const isShort = 'length' in written;
  const long: Partial<WrittenLongFlow> = isShort ? {} : written;
  const { description, input, onFailure = 'rollback', timeout } = long;
  checkInput(input, source);
  return {
    name,
    description: description ?? null,
    input: input ?? null,
    timeoutMs: timeout === undefined ? null : readDuration(timeout, inside(site, 'timeout')),
    // Left out where it says nothing new, so that the version of a flow does not change by it.
    ...(onFailure !== 'rollback' && { onFailure: failurePolicy(onFailure, site) }),
    steps: buildSteps(
      { steps: stepsOf(written), site: isShort ? site : inside(site, 'steps'), list: 'flow' },
      source,
    ),
  };
}

function failurePolicy(
  written: Exclude<WrittenLongFlow['onFailure'], 'rollback' | undefined>,
  site: Site,
): FailurePolicy {
  if (written === 'hold') return { holdMs: null };
  return { holdMs: readDuration(written.hold, inside(inside(site, 'onFailure'), 'hold')) };
}

/** A list of steps, and what the steps in it are built with. */
interface StepList {
  readonly steps: readonly WrittenStep[];
  readonly site: Site;
  readonly list: StepsPlace['list'];
}

function buildSteps({ list, site, steps }: StepList, source: FlowSource): readonly StepPlan[] {
  const isElsewhere = (name: string): boolean => isNamedIn(stepsOf(source.written), name);
  const place = { ...site, list, isElsewhere };
  const names = nameSteps(steps, place);
  const needs = orderSteps(steps, names, place);
  return steps.map((step, i): StepPlan => {
    const head = { name: names[i] ?? '', needs: needs[i] ?? [] };
    const at = inside(site, i);
    return step.group === undefined
      ? { ...head, ...buildPair(step, at, source) }
      : { ...head, ...buildGroup(step, at, source) };
  });
}

function stepsOf(written: WrittenFlow): readonly WrittenStep[] {
  return 'length' in written ? written : written.steps;
}

/** Whether a step of the list, or of a group in it, is written with this name. */
function isNamedIn(steps: readonly WrittenStep[], name: string): boolean {
  return steps.some((step) => step.name === name || isNamedIn(step.group ?? [], name));
}

function buildPair(
  { normal, rollback = null }: WrittenCommandStep,
  site: Site,
  { commands }: FlowSource,
): Pick<CommandStep, 'normal' | 'rollback'> {
  const actionIn = (written: WrittenAction, half: Half): Action => {
    const action = buildAction(written, half, inside(site, half));
    if (commands !== undefined) checkCommand(action, inside(site, half), commands);
    return action;
  };
  return {
    normal: actionIn(normal, 'normal'),
    rollback: rollback === null ? null : actionIn(rollback, 'rollback'),
  };
}

function buildGroup(
  { group, retry, timeout }: WrittenGroupStep,
  site: Site,
  source: FlowSource,
): Pick<GroupStep, 'group' | 'retry' | 'timeoutMs'> {
  return {
    group: buildSteps({ steps: group, site: inside(site, 'group'), list: 'group' }, source),
    retry: buildRetry(retry, inside(site, 'retry')),
    timeoutMs: timeout === undefined ? null : readDuration(timeout, inside(site, 'timeout')),
  };
}

function checkCommand({ module, command }: Action, site: Site, known: KnownCommands): void {
  const modules = known.modules();
  if (!modules.includes(module)) {
    const message = `No executor serves a module \`${clip(module)}\`.`;
    const hint = nearNameHint(module, modules);
    const { pointer } = inside(site, 'module');
    site.problems.add({ pointer, code: 'UNKNOWN_MODULE', message, hint });
    return;
  }
  const commands = known.commands(module);
  if (commands.includes(command)) return;
  const message = `Module \`${clip(module)}\` has no command \`${clip(command)}\`.`;
  const hint = nearNameHint(command, commands);
  const { pointer } = inside(site, 'command');
  site.problems.add({ pointer, code: 'UNKNOWN_COMMAND', message, hint });
}

function checkInput(input: JsonObject | undefined, { site, warnings }: FlowSource): void {
  if (input === undefined) return warnings.add(noInput(site.pointer));
  const { pointer, problems } = inside(site, 'input');
  const at = (finding: Finding): Finding => ({ ...finding, pointer: pointer + finding.pointer });
  const faults = checkInputSchema(input);
  for (const fault of faults) problems.add(at(fault));
  if (faults.length === 0) for (const warning of inputWarnings(input)) warnings.add(at(warning));
}

function noInput(pointer: string): Finding {
  const message = 'The flow has no `input`, so any parameters are taken, and none is checked.';
  const hint =
    'Add "input": {"type": "object", "properties": {...}} with all that a request may send.';
  return { pointer, at: 'name', code: 'NO_INPUT', message, hint };
}
