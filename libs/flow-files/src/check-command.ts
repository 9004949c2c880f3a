import type { Action } from '#core';
import type { CommandCatalogue } from '#ports';
import { inside, type Site } from './build-action.js';
import { clip } from './json-document.js';
import { nearNameHint } from './near-name-hint.js';

/** The commands that executors have, as far as known. */
export type KnownCommands = Pick<CommandCatalogue, 'modules' | 'commands'>;

/** Says so where no executor has the command of an action. */
export function checkCommand({ module, command }: Action, site: Site, known: KnownCommands): void {
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
