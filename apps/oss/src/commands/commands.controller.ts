import { Controller, Inject } from '@nestjs/common';
import { usesModule } from '#access';
import type { JsonObject, JsonValue } from '#core';
import { problemsOfDefaults } from '#flow-files';
import { expectMayChange, Problem } from '#http-server';
import { allOf, commandId, type CommandRecord, nullWhereUnreadable } from '#ports';
import { type CommonParts, type FlowParts, OSS_OPTIONS } from '../options.js';
import { COMMAND_ROUTES } from './commands.routes.js';
import { type Asked, Handles } from '../requests/asked.js';
import { pageOf } from '../requests/page.query.js';
import type { Shown } from '../requests/shown.js';

/** The defaults that flows inherit of a command; beside its name, as they were written. */
type PublicCommand = Shown<'Command'>;

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Keeps what flows inherit that use a command: times, retries, its rollback, its description. */
@Controller()
export class CommandsController {
  constructor(@Inject(OSS_OPTIONS) private readonly options: CommonParts & FlowParts) {}

  /** Commands that have defaults, by module and command. */
  @Handles(COMMAND_ROUTES.listCommands)
  async list({
    principal,
    query,
  }: Asked<typeof COMMAND_ROUTES.listCommands>): Promise<Shown<'Commands'>> {
    const all = await allOf(this.options.commandDefaults);
    const seen = all.filter(({ module }) => usesModule(principal, module));
    const { items, page } = pageOf(seen, commandId, query);
    return { items: items.map(present), page };
  }

  /** The defaults of one command. */
  @Handles(COMMAND_ROUTES.getCommand)
  async get({
    path: { module, command },
    principal,
  }: Asked<typeof COMMAND_ROUTES.getCommand>): Promise<PublicCommand> {
    const isSeen = usesModule(principal, module);
    const id = commandId({ module, command });
    // One that cannot be read has no defaults, as for the flows that use it.
    const finding = isSeen ? this.options.commandDefaults.get(id) : null;
    const found = (await finding?.catch(nullWhereUnreadable)) ?? null;
    if (found === null) throw notFound(module, command);
    return present(found);
  }

  /** Replaces the defaults of a command; existing versions of flows stay as they are. */
  @Handles(COMMAND_ROUTES.putCommand)
  async put({
    path: { module, command },
    body,
    principal,
  }: Asked<typeof COMMAND_ROUTES.putCommand>): Promise<PublicCommand> {
    expectNames(module, command);
    const defaults = (body ?? null) as JsonValue;
    const modules = [module, ...modulesIn(defaults)];
    expectMayChange(principal, { kind: 'command', modules });
    const errors = problemsOfDefaults({ module, command, defaults });
    if (errors.length > 0) {
      // A body that is no object of known members is a wrong request; the rest is read as a flow.
      const isShape = errors.every(({ code, pointer }) => {
        return pointer === '' || (code === 'UNKNOWN_MEMBER' && pointer.lastIndexOf('/') === 0);
      });
      throw new Problem(isShape ? 'INVALID_REQUEST' : 'INVALID_FLOW', `${errors[0]?.message}`, {
        errors: errors.map(({ hint, message, pointer }) => ({ pointer, message, hint })),
      });
    }
    const updatedAt = this.options.clock.now();
    const record = { module, command, updatedAt, defaults: defaults as JsonObject };
    await this.options.commandDefaults.put(record, 'any');
    await this.options.flows.refresh();
    return present(record);
  }

  /** From now on nothing is inherited of it; versions of flows that there are stay. */
  @Handles(COMMAND_ROUTES.removeCommand)
  async remove({
    path: { module, command },
    principal,
  }: Asked<typeof COMMAND_ROUTES.removeCommand>): Promise<void> {
    expectMayChange(principal, { kind: 'command', modules: [module] });
    const isNamed = NAME.test(module) && NAME.test(command);
    const { commandDefaults } = this.options;
    const id = commandId({ module, command });
    const isRemoved = isNamed && (await commandDefaults.remove(id, 'any'));
    if (!isRemoved) throw notFound(module, command);
    await this.options.flows.refresh();
  }
}

function expectNames(module: string, command: string): void {
  for (const [member, name] of Object.entries({ module, command })) {
    if (NAME.test(name)) continue;
    const message = `The name of a ${member} has letters, digits, \`-\`, \`_\` and \`.\`, at most 100.`;
    throw new Problem('INVALID_REQUEST', message, { errors: [{ pointer: `/${member}`, message }] });
  }
}

/** The module of the rollback, which flows would use. */
function modulesIn(defaults: JsonValue): readonly string[] {
  if (typeof defaults !== 'object' || defaults === null) return [];
  const { rollback } = defaults as JsonObject;
  if (typeof rollback !== 'object' || rollback === null) return [];
  const { module } = rollback as JsonObject;
  return typeof module === 'string' ? [module] : [];
}

function present({ command, defaults, module, updatedAt }: CommandRecord): PublicCommand {
  return { module, command, ...defaults, timeUpdate: Math.floor(updatedAt / 1_000) };
}

function notFound(module: string, command: string): Problem {
  const name = JSON.stringify(`${module}/${command}`.slice(0, 200));
  return new Problem('NOT_FOUND', `Command ${name} has no stored defaults.`);
}
