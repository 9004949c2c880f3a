import type { Connection } from 'mysql2/promise';
import type { Clock, TaskMarks } from '#ports';
import { MysqlMarks, MysqlSchemaBarrier, MysqlSessions } from '#barrier';
import type { Credentials } from '../credentials.js';
import { accountOf } from '../instance-name.js';
import type {
  Attempt,
  InstanceDescription,
  InstanceProvider,
  InstanceSpec,
  MadeInstance,
  Owner,
} from '../instance.js';
import {
  claimInstance,
  createInstance,
  dropInstance,
  instancesOf,
  ownerOf,
  OWN_SCHEMA,
  prepareInstances,
  releaseInstance,
} from './server-instances.js';

/** Options of the provider that makes instances on a real server. */
interface ServerOptions {
  readonly clock: Clock;
  /** Closed with what is opened. */
  readonly credentials: Credentials;
  /** `mysql://user:password@host:port/` of an administrator, who may create schemas and users. */
  readonly url: string;
}

const PORT = 3306;

/** Opens a MySQL or MariaDB server on which instances are schemas with a user of their own. */
export async function openServer(options: ServerOptions): Promise<InstanceProvider> {
  const { clock, credentials, url } = options;
  const { hostname, port } = new URL(url);
  const sessions = new MysqlSessions({ url });
  const marks = new MysqlMarks({ schema: OWN_SCHEMA });
  try {
    await sessions.use(async (session) => {
      await marks.prepare(session);
      await prepareInstances(session);
    });
  } catch (cause) {
    await sessions.close();
    await credentials.close();
    // Without the URL, which holds the administrator's password.
    const why = (cause as Error).message;
    throw new Error(`the MySQL server at ${hostname} cannot be used: ${why}`, { cause });
  }
  const barrier = new MysqlSchemaBarrier({ clock, marks, sessions });
  return new ServerProvider({
    address: { host: hostname, port: Number(port) || PORT },
    barrier,
    credentials,
    sessions,
  });
}

interface Parts {
  readonly address: { readonly host: string; readonly port: number };
  readonly barrier: MysqlSchemaBarrier;
  readonly credentials: Credentials;
  readonly sessions: MysqlSessions;
}

class ServerProvider implements InstanceProvider {
  constructor(private readonly parts: Parts) {}

  get marks(): TaskMarks {
    return this.parts.barrier;
  }

  async init(attempt: Attempt, spec: InstanceSpec): Promise<InstanceDescription> {
    const { instance } = spec;
    // A name that is too long leaves nothing.
    accountOf(instance);
    attempt.signal.throwIfAborted();
    const make = (session: Connection) => this.#make(session, attempt, spec);
    const made = await this.parts.barrier.forward(attempt, make, { instance });
    return made as InstanceDescription;
  }

  undoInit(attempt: Attempt): Promise<void> {
    return this.parts.barrier.rollback(attempt, async (session, output) => {
      const instance = output?.['instance'];
      if (typeof instance === 'string') await this.#drop(session, instance, attempt);
    });
  }

  async clean(attempt: Attempt, instance: string): Promise<boolean> {
    const { barrier, sessions } = this.parts;
    attempt.signal.throwIfAborted();
    // Drop only from this owner: a late attempt must not remove a new instance of the same name.
    const owner = await sessions.use((session) => ownerOf(session, instance));
    const output = await barrier.forward(attempt, async (session) => {
      attempt.signal.throwIfAborted();
      const isOurs = owner !== null && (await this.#drop(session, instance, owner));
      return { removed: isOurs };
    });
    return output?.['removed'] === true;
  }

  madeBy(taskId: string): Promise<readonly MadeInstance[]> {
    return this.parts.sessions.use((session) => instancesOf(session, taskId));
  }

  async close(): Promise<void> {
    await this.parts.sessions.close();
    await this.parts.credentials.close();
  }

  async #make(
    session: Connection,
    { signal, run, taskId }: Attempt,
    spec: InstanceSpec,
  ): Promise<InstanceDescription> {
    const { address, credentials } = this.parts;
    const { instance, role } = spec;
    await claimInstance(session, instance, { taskId, run });
    const password = await credentials.passwordFor({ ...address, instance }, { taskId, run });
    await createInstance(session, spec, { password, signal });
    return {
      instance,
      ...(role !== null && { role }),
      schema: accountOf(instance),
      user: accountOf(instance),
      endpoint: `${address.host}:${address.port}`,
      credentials: credentials.placeOf(instance),
      provider: 'server',
    };
  }

  /** The name is released last: its next owner finds nothing of this one. */
  async #drop(session: Connection, instance: string, owner: Owner): Promise<boolean> {
    const { run, taskId } = owner;
    const found = await ownerOf(session, instance);
    if (found?.taskId !== taskId || found.run !== run) return false;
    await dropInstance(session, instance);
    await this.parts.credentials.remove(instance, { taskId, run });
    await releaseInstance(session, instance);
    return true;
  }
}
