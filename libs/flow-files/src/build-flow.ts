import type { Action, FlowDefinition, JsonObject, StepPlan } from '#core';
import type { CommandCatalogue } from '#ports';
import { buildAction, type Half, inside, readDuration, type Site } from './build-action.js';
import { orderSteps, nameSteps } from './flow-steps.js';
import { checkInputSchema, inputWarnings } from './input-schema.js';
import { clip } from './json-document.js';
import { nearNameHint } from './near-name-hint.js';
import type { Finding, ProblemList } from './problem.js';
import type { WrittenAction, WrittenFlow, WrittenStep } from './written-flow.js';

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
  const { description, input, timeout, steps } = isShort
    ? { description: undefined, input: undefined, timeout: undefined, steps: written }
    : written;
  checkInput(input, source);
  return {
    name,
    description: description ?? null,
    input: input ?? null,
    timeoutMs: timeout === undefined ? null : readDuration(timeout, inside(site, 'timeout')),
    steps: buildSteps(steps, isShort ? site : inside(site, 'steps'), source),
  };
}

function buildSteps(
  steps: readonly WrittenStep[],
  site: Site,
  { commands }: FlowSource,
): readonly StepPlan[] {
  const names = nameSteps(steps, site);
  const needs = orderSteps(steps, names, site);
  return steps.map(({ normal, rollback = null }, i) => {
    const step = inside(site, i);
    const actionIn = (written: WrittenAction, half: Half): Action => {
      const action = buildAction(written, half, inside(step, half));
      if (commands !== undefined) checkCommand(action, inside(step, half), commands);
      return action;
    };
    return {
      name: names[i] ?? '',
      needs: needs[i] ?? [],
      normal: actionIn(normal, 'normal'),
      rollback: rollback === null ? null : actionIn(rollback, 'rollback'),
    };
  });
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
