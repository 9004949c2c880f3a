import type { JsonObject } from '#core';
import {
  type Clock,
  type CommandCatalogue,
  type ExecutorRecord,
  type ExecutorSchemas,
  mayHave,
} from '#ports';
import type { EngineParts, EngineSettings } from './parts.js';
import type { Slots } from './slots.js';

/**
 * How often a process or a worker announces itself, and after how long without it serves nothing,
 * in milliseconds.
 */
export const ANNOUNCE_EVERY_MS = 10_000;
export const SILENT_AFTER_MS = 35_000;

/** How long an answer about other executors is good for, in milliseconds. */
const KNOWN_FOR_MS = 2_000;

/** Longest schema that is announced, and all those of a module, in characters. */
const SCHEMA_MAX = 16 * 1024;
const SCHEMAS_MAX = 256 * 1024;

/** An executor that was heard of lately. */
export interface SeenExecutor extends ExecutorRecord {
  /**
   * Since when its process has owed a renewal of its session, or nothing was heard of a worker, in
   * milliseconds since 1970: it stands still, is cut off, or is gone. Null: it is not so.
   */
  readonly silentSince: number | null;
}

interface Known {
  /** By the monotonic clock: the other may be set back. */
  readonly at: number;
  readonly records: readonly ExecutorRecord[];
}

/** Tells other processes what this one can run, and knows what others can. */
export class ExecutorDirectory {
  private readonly known = new Map<string, Known>();
  private readonly clock: Clock;
  /** When this process announced itself first; null: it has not. */
  private since: number | null = null;

  constructor(
    private readonly parts: Pick<EngineParts, 'registry' | 'catalogue' | 'clock'>,
    private readonly settings: Pick<EngineSettings, 'owner' | 'build' | 'concurrency'>,
    private readonly slots: Pick<Slots, 'inUse'>,
  ) {
    this.clock = parts.clock;
  }

  /** One round of announcing. */
  async tick(): Promise<void> {
    const { catalogue, registry } = this.parts;
    const { build, concurrency: slots, owner: instance } = this.settings;
    const seenAt = this.clock.now();
    this.since ??= seenAt;
    const { since } = this;
    for (const module of catalogue.modules()) {
      const commands = catalogue.commands(module);
      const load = { busy: this.slots.inUse(module), slots };
      const schemas = schemasOf(catalogue, module);
      const secrets = secretsIn(catalogue, module);
      const own = { instance, module, commands, ...schemas, ...(secrets && { secrets }) };
      const record = { ...own, since, seenAt, ...load, ...build };
      await registry.announce(record);
    }
  }

  /** This process is stopping: others need not wait for it to be taken for gone. */
  async withdraw(): Promise<void> {
    const { catalogue, registry } = this.parts;
    const { owner } = this.settings;
    await Promise.all(catalogue.modules().map((module) => registry.withdraw(owner, module)));
  }

  /**
   * Executors of a module that were heard of lately, this one included. Throws `StoreUnavailable`.
   */
  async list(module: string): Promise<readonly ExecutorRecord[]> {
    const at = this.clock.monotonic();
    const known = this.known.get(module);
    if (known !== undefined && at - known.at < KNOWN_FOR_MS) return known.records;
    const since = this.clock.now() - SILENT_AFTER_MS;
    const records = await this.parts.registry.listExecutors(since, module);
    this.known.set(module, { at, records });
    return records;
  }

  /** Executors of every module that were heard of lately. Throws `StoreUnavailable`. */
  listAll(): Promise<readonly ExecutorRecord[]> {
    return this.parts.registry.listExecutors(this.clock.now() - SILENT_AFTER_MS);
  }

  /**
   * Members of a command's output that are secret, of this process or as any that was ever heard of
   * has announced. Throws `StoreUnavailable`.
   */
  async secretsOf(module: string, command: string): Promise<readonly string[]> {
    const { catalogue, registry } = this.parts;
    const served = catalogue.find(module, command);
    if (served !== undefined) return served.secrets ?? [];
    const records = await registry.listKnown(0, module);
    return records.flatMap(({ secrets = {} }) => {
      return Object.hasOwn(secrets, command) ? (secrets[command] ?? []) : [];
    });
  }

  /**
   * Whether another build of the module, running now, has the command. When that cannot be told:
   * yes, nothing is lost. An old answer is not trusted that nobody has it: an executor that has
   * come meanwhile is what the message was sent for.
   */
  async hasElsewhere(module: string, command: string): Promise<boolean> {
    const isIn = (records: readonly ExecutorRecord[]): boolean => {
      return records.some((record) => {
        return record.instance !== this.settings.owner && mayHave(record, command);
      });
    };
    try {
      if (isIn(await this.list(module))) return true;
      this.known.delete(module);
      return isIn(await this.list(module));
    } catch {
      return true;
    }
  }
}

/** The secret output members of a module's commands, by command; null: no command has any. */
function secretsIn(
  catalogue: CommandCatalogue,
  module: string,
): Record<string, readonly string[]> | null {
  const named = catalogue.commands(module).flatMap((command) => {
    const { secrets = [] } = catalogue.find(module, command) ?? {};
    return secrets.length === 0 ? [] : [[command, secrets] as const];
  });
  return named.length === 0 ? null : Object.fromEntries(named);
}

/**
 * The schemas of a module's commands, by command: those of parameters, and those of outputs where
 * there are any. Leaves out those that are too long.
 */
function schemasOf(
  catalogue: CommandCatalogue,
  module: string,
): Pick<ExecutorRecord, ExecutorSchemas> {
  const room = { left: SCHEMAS_MAX };
  const named = (schemaOf: (command: string) => JsonObject | null): Record<string, JsonObject> => {
    const schemas: Record<string, JsonObject> = {};
    for (const command of catalogue.commands(module)) {
      const schema = schemaOf(command);
      const length = schema === null ? Infinity : JSON.stringify(schema).length;
      if (schema === null || length > Math.min(SCHEMA_MAX, room.left)) continue;
      room.left -= length;
      schemas[command] = schema;
    }
    return schemas;
  };
  const parameters = named((command) => catalogue.parametersOf(module, command));
  const outputs = named((command) => catalogue.outputOf(module, command));
  return { parameters, ...(Object.keys(outputs).length > 0 && { outputs }) };
}
