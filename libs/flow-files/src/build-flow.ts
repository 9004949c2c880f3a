import type { Action, FlowDefinition, JsonObject, StepPlan } from '#core';
import type { CommandCatalogue } from '#ports';
import { buildAction, inside, readDuration, type Site } from './build-action.js';
import { orderSteps, nameSteps } from './flow-steps.js';
import { checkInputSchema } from './input-schema.js';
import { clip } from './json-document.js';
import { nearNameHint } from './near-name-hint.js';
import type { WrittenFlow, WrittenStep } from './written-flow.js';

/** The commands that executors have, as far as known. */
export type KnownCommands = Pick<CommandCatalogue, 'modules' | 'commands'>;

/** What a flow is built from. */
export interface FlowSource {
  readonly name: string;
  readonly written: WrittenFlow;
  readonly site: Site;
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
  if (input !== undefined) checkInput(input, inside(site, 'input'));
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
  source: FlowSource,
): readonly StepPlan[] {
  const names = nameSteps(steps, site);
  const needs = orderSteps(steps, names, site);
  return steps.map(({ normal, rollback = null }, i) => {
    const step = inside(site, i);
    return {
      name: names[i] ?? '',
      needs: needs[i] ?? [],
      normal: checkedAction(normal, inside(step, 'normal'), source),
      rollback:
        rollback === null ? null : checkedAction(rollback, inside(step, 'rollback'), source),
    };
  });
}

function checkedAction(
  written: Parameters<typeof buildAction>[0],
  site: Site,
  { commands }: FlowSource,
): Action {
  const action = buildAction(written, site);
  if (commands !== undefined) checkCommand(action, site, commands);
  return action;
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

function checkInput(input: JsonObject, { pointer, problems }: Site): void {
  for (const finding of checkInputSchema(input)) {
    problems.add({ ...finding, pointer: pointer + finding.pointer });
  }
}
