import path from 'node:path';
import { hash } from 'node:crypto';
import type { JsonObject } from '#core';
import type { Clock, Entropy, TaskMarks } from '#ports';
import { BARRIER_TABLE, IntentBarrier, openSqlite, type SqliteFile, SqliteIntents } from '#barrier';
import type {
  Attempt,
  InstanceDescription,
  InstanceProvider,
  InstanceSpec,
  MadeInstance,
} from '../instance.js';
import { newPassword } from '../password.js';
import { recordFile, SandboxFolders } from './sandbox-folders.js';

/** The notice at the top of everything that the sandbox writes. */
const NOTICE =
  'This is a sandbox: no database server runs here. ' +
  'Set BACKSTEP_MYSQL_PROVIDER=server and BACKSTEP_MYSQL_URL to make real instances.';

/** Options of the sandbox. */
interface SandboxOptions {
  readonly clock: Clock;
  readonly dataFolder: string;
  readonly entropy: Entropy;
}

const CONFIGURATION = 'my.cnf';

/** Opens the sandbox: instances that are folders with a configuration, and no server. */
export async function openSandbox(options: SandboxOptions): Promise<InstanceProvider> {
  const { clock, dataFolder, entropy } = options;
  const folders = new SandboxFolders(path.join(dataFolder, 'instances'));
  await folders.prepare();
  const database = path.join(dataFolder, 'mysql.db');
  const file = await openSqlite({ clock, file: database, migrations: [BARRIER_TABLE] });
  return new SandboxProvider({ clock, entropy, file, folders });
}

/** The parts of the sandbox. */
interface SandboxParts {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly file: Pick<SqliteFile, 'close' | 'read' | 'write'>;
  readonly folders: SandboxFolders;
}

/** Instances that are folders. */
export class SandboxProvider implements InstanceProvider {
  readonly #barrier: IntentBarrier;

  constructor(private readonly parts: SandboxParts) {
    this.#barrier = new IntentBarrier(new SqliteIntents(parts.file, parts.clock));
  }

  get marks(): TaskMarks {
    return this.#barrier;
  }

  async init(attempt: Attempt, spec: InstanceSpec): Promise<InstanceDescription> {
    const { folders } = this.parts;
    const { signal, ...context } = attempt;
    signal.throwIfAborted();
    try {
      await folders.stage(context, this.#files(attempt, spec));
      const place = async (): Promise<JsonObject> => {
        signal.throwIfAborted();
        return (await folders.place(context, spec.instance)).description;
      };
      const plan = { instance: spec.instance };
      const made = await this.#barrier.forward(context, place, plan);
      return made as InstanceDescription;
    } finally {
      await folders.dropStaged(context, (token) => token <= context.fencingToken);
    }
  }

  async undoInit(context: Attempt): Promise<void> {
    const { folders } = this.parts;
    await this.#barrier.rollback(context, async (_tx, output) => {
      // First what could still be moved in place, then what was.
      await folders.dropStaged(context, () => true);
      const instance = output?.['instance'];
      if (typeof instance === 'string') await folders.remove(instance, context);
    });
    await folders.dropStaged(context, () => true);
  }

  async clean(context: Attempt, instance: string): Promise<boolean> {
    const { folders } = this.parts;
    context.signal.throwIfAborted();
    // Remove only from this owner: a late attempt must not remove a new instance of the same name.
    const found = await folders.read(instance);
    const output = await this.#barrier.forward(context, async () => {
      context.signal.throwIfAborted();
      if (found !== null) await folders.remove(instance, found.owner);
      return { removed: found !== null };
    });
    return output?.['removed'] === true;
  }

  async madeBy(taskId: string): Promise<readonly MadeInstance[]> {
    const records = await this.parts.folders.list();
    return records
      .filter(({ owner }) => owner.taskId === taskId)
      .map(({ description, owner }) => ({ instance: description.instance, run: owner.run }));
  }

  close(): Promise<void> {
    return this.parts.file.close();
  }

  #files({ taskId, run }: Attempt, spec: InstanceSpec): Record<string, string> {
    const { instance, role } = spec;
    const description: InstanceDescription = {
      instance,
      ...(role !== null && { role }),
      schema: instance,
      user: instance,
      endpoint: sandboxEndpoint(instance),
      credentials: `instances/${instance}/${CONFIGURATION}`,
      provider: 'sandbox',
    };
    const password = newPassword(this.parts.entropy);
    return {
      [CONFIGURATION]: sandboxConfiguration(spec, password),
      ...recordFile({ notice: NOTICE, description, owner: { taskId, run } }),
    };
  }
}

/** Not resolvable on purpose (RFC 2606), so that nobody takes it for a server. */
function sandboxEndpoint(instance: string): string {
  return `${instance}.sandbox.invalid:3306`;
}

/** The configuration that a server of this size would be given. */
function sandboxConfiguration(spec: InstanceSpec, password: string): string {
  const { connections, instance, memory, role } = spec;
  const pool = memory === null ? null : Math.max(1, Math.floor(memory * 1_024 * 0.6));
  return [
    `# ${NOTICE}`,
    '[mysqld]',
    `server_id = ${serverId(instance)}`,
    `max_connections = ${connections}`,
    ...(pool === null ? [] : [`innodb_buffer_pool_size = ${pool}M`]),
    ...(role === 'replica' ? ['read_only = ON'] : []),
    '',
    '[client]',
    `database = ${instance}`,
    `user = ${instance}`,
    `password = ${password}`,
    '',
  ].join('\n');
}

/** Different for the members of a cluster, the same for every attempt; 1 to 2^31. */
function serverId(instance: string): number {
  return (hash('sha256', instance, 'buffer').readUInt32BE(0) >>> 1) + 1;
}
