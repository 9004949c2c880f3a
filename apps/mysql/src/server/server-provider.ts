import path from 'node:path';
import type { Connection } from 'mysql2/promise';
import type { BarrierContext, Clock, Entropy } from '#ports';
import { MysqlMarks, MysqlSchemaBarrier, MysqlSessions } from '#barrier';
import type { Attempt, InstanceDescription, InstanceProvider, InstanceSpec } from '../instance.js';
import { ServerCredentials } from './server-credentials.js';
import {
  claimInstance,
  createInstance,
  dropInstance,
  ownerOf,
  OWN_SCHEMA,
  prepareInstances,
} from './server-instances.js';

/** What is needed to make instances on a real server. */
export interface ServerOptions {
  readonly clock: Clock;
  readonly dataFolder: string;
  readonly entropy: Entropy;
  /** `mysql://user:password@host:port/` of an administrator, who may create schemas and users. */
  readonly url: string;
}

const PORT = 3306;

/** Opens a MySQL or MariaDB server on which instances are schemas with a user of their own. */
export async function openServer(options: ServerOptions): Promise<InstanceProvider> {
  const { clock, dataFolder, entropy, url } = options;
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
    // Without the URL, which holds the administrator's password.
    const why = (cause as Error).message;
    throw new Error(`the MySQL server at ${hostname} cannot be used: ${why}`, { cause });
  }
  const barrier = new MysqlSchemaBarrier({ clock, marks, sessions });
  const credentials = new ServerCredentials(path.join(dataFolder, 'instances'), entropy);
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
  readonly credentials: ServerCredentials;
  readonly sessions: MysqlSessions;
}

class ServerProvider implements InstanceProvider {
  constructor(private readonly parts: Parts) {}

  async init(attempt: Attempt, spec: InstanceSpec): Promise<InstanceDescription> {
    const { instance } = spec;
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
    // Who owns it now: an attempt that comes late must not remove a new instance of the same name.
    const owner = await sessions.use((session) => ownerOf(session, instance));
    const output = await barrier.forward(attempt, async (session) => {
      attempt.signal.throwIfAborted();
      const isOurs = owner !== null && (await this.#drop(session, instance, owner));
      return { removed: isOurs };
    });
    return output?.['removed'] === true;
  }

  close(): Promise<void> {
    return this.parts.sessions.close();
  }

  async #make(
    session: Connection,
    { signal, run, taskId }: Attempt,
    spec: InstanceSpec,
  ): Promise<InstanceDescription> {
    const { address, credentials } = this.parts;
    const { instance, role } = spec;
    await claimInstance(session, instance, { taskId, run });
    const password = await credentials.passwordFor({ ...address, instance });
    await createInstance(session, spec, { password, signal });
    return {
      instance,
      ...(role !== null && { role }),
      schema: instance,
      user: instance,
      endpoint: `${address.host}:${address.port}`,
      credentials: credentials.pathOf(instance),
      provider: 'server',
    };
  }

  async #drop(
    session: Connection,
    instance: string,
    { taskId, run }: Pick<BarrierContext, 'taskId' | 'run'>,
  ): Promise<boolean> {
    const isDropped = await dropInstance(session, instance, { taskId, run });
    if (isDropped) await this.parts.credentials.remove(instance);
    return isDropped;
  }
}
