import type { Action, JsonObject } from '#core';
import type { Half } from './build-action.js';
import { wrongConstants } from './check-constants.js';
import { DEPRECATED_HINT, deprecatedMembers } from './deprecated-members.js';
import { clip } from './json-document.js';
import { joinPointer } from './json-pointer.js';
import type { KnownCommands } from './known-commands.js';
import { nearNameHint } from './near-name-hint.js';
import type { Finding } from './problem.js';

/** Findings about an action, by the executors that are known. Pointers are into the action. */
interface ActionFindings {
  readonly problems: readonly Finding[];
  readonly warnings: readonly Finding[];
}

const NOTHING: readonly Finding[] = [];

/**
 * Looks whether somebody serves the command of an action, and takes its constants. A module that
 * nobody serves is a problem only where all modules are known.
 */
export function examineAction(action: Action, half: Half, known: KnownCommands): ActionFindings {
  const { command, module } = action;
  const modules = known.modules();
  const isListed = modules.includes(module) && known.commands(module).includes(command);
  if (known.hasOthers === true && !isListed) return { problems: NOTHING, warnings: NOTHING };
  if (!modules.includes(module)) {
    const found = [unknownModule(module, modules)];
    return known.isPartial
      ? { problems: NOTHING, warnings: found }
      : { problems: found, warnings: NOTHING };
  }
  const commands = known.commands(module);
  if (!commands.includes(command)) {
    return { problems: [unknownCommand(action, commands)], warnings: NOTHING };
  }
  const schemas = known.schemas?.(module, command) ?? [];
  const warnings = deprecatedParameters(action, schemas);
  return { problems: wrongConstants(action, half, schemas), warnings };
}

/** Parameters of an action that every build of its command calls deprecated. */
function deprecatedParameters(
  { command, module, parameters }: Action,
  schemas: readonly JsonObject[],
): readonly Finding[] {
  if (parameters === null || schemas.length === 0) return NOTHING;
  const all = schemas.map(deprecatedMembers);
  const found = Object.keys(parameters).filter((name) => all.every((names) => names.has(name)));
  return found.map((name) => {
    const message = `\`${clip(module)}.${clip(command)}\` calls \`${clip(name)}\` deprecated.`;
    const pointer = joinPointer(joinPointer('', 'parameters'), name);
    return { pointer, at: 'name', code: 'DEPRECATED_MEMBER', message, hint: DEPRECATED_HINT };
  });
}

function unknownModule(module: string, modules: readonly string[]): Finding {
  const message = `No executor serves a module \`${clip(module)}\`.`;
  const hint = nearNameHint(module, modules);
  return { pointer: joinPointer('', 'module'), code: 'UNKNOWN_MODULE', message, hint };
}

function unknownCommand({ command, module }: Action, commands: readonly string[]): Finding {
  const message = `Module \`${clip(module)}\` has no command \`${clip(command)}\`.`;
  const hint = nearNameHint(command, commands);
  return { pointer: joinPointer('', 'command'), code: 'UNKNOWN_COMMAND', message, hint };
}
