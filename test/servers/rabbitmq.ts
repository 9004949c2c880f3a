import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { connect } from 'amqplib';
import { DockerServer } from './docker-server.js';
import type { ContainerPlan } from './docker-server.js';
import type { Programs } from './find-server.js';
import { freePort, freePorts } from './free-ports.js';
import type { MachinePlan } from './machine-server.js';
import { isMissing } from './server.js';
import type { Missing, RunningServer, ServerOptions } from './server.js';
import { ServerFolder } from './server-folder.js';
import { ServerProcess } from './server-process.js';
import { trimHome } from './rabbitmq-home.js';
import { startServer } from './start-server.js';
import { acceptsConnections } from './wait-until.js';
import type { Probe } from './wait-until.js';

const IMAGE = 'rabbitmq:4';
const CONNECT_MS = 5_000;

const NODE_NAME = 'backstep@localhost';
/** The default log of quorum queues lets a busy node grow by half a gigabyte. */
const SETTINGS = ['raft.wal_max_size_bytes = 67108864'];

/** A broker of its own. */
export interface RabbitmqOptions extends ServerOptions {
  /** More lines of rabbitmq.conf, such as `consumer_timeout = 60000`. */
  readonly settings?: readonly string[];
}

/** A RabbitMQ node with the user `guest` and the virtual host `/`. */
export interface RabbitmqServer extends RunningServer {
  readonly amqpUrl: string;
  /** Runs rabbitmqctl and resolves with what it prints. */
  ctl(...args: string[]): Promise<string>;
  /**
   * Has what was declared so far written to disk. RabbitMQ 3.10 does that seconds later, and a kill
   * before then leaves a new quorum queue without a leader for ever, its confirmed messages lost.
   */
  settle(): Promise<void>;
}

type Ctl = (args: readonly string[]) => Promise<string>;

/** Finds or starts RabbitMQ; resolves when a client was let in. */
export async function startRabbitmq(
  options: RabbitmqOptions = {},
): Promise<RabbitmqServer | Missing> {
  let ctlOnMachine: Ctl = () => Promise.reject(new Error('its rabbitmqctl is out of reach'));
  const server = await startServer('rabbitmq', options, {
    container: () => planContainer(options),
    machine: async (programs) => {
      const node = await RabbitmqNode.open(programs, options);
      ctlOnMachine = (args) => node.ctl(args);
      return node.plan();
    },
  });
  if (isMissing(server)) return server;
  const ctl: Ctl =
    server instanceof DockerServer
      ? (args) => server.exec(['rabbitmqctl', '--quiet', ...args])
      : ctlOnMachine;
  return Object.assign(server, {
    amqpUrl: server.url,
    ctl: (...args: string[]) => ctl(args),
    settle: async () => void (await ctl(['eval', '[dets:sync(Table) || Table <- dets:all()].'])),
  });
}

async function planContainer({ settings = [] }: RabbitmqOptions): Promise<ContainerPlan> {
  const host = await freePort();
  const url = urlAt(host);
  const content = [...SETTINGS, ...settings, ''].join('\n');
  return {
    name: 'rabbitmq',
    url,
    image: IMAGE,
    port: { container: 5672, host },
    files: [{ target: '/etc/rabbitmq/conf.d/20-backstep.conf', content }],
    ready: letsIn(url),
  };
}

/**
 * A node beside others on one machine: it has a port mapper (epmd) of its own, so that its name can
 * be the same everywhere and nothing of it stays behind as a daemon.
 */
class RabbitmqNode {
  private constructor(
    private readonly programs: Programs,
    private readonly folder: ServerFolder,
    private readonly ports: { amqp: number; distribution: number; epmd: number },
  ) {}

  static async open(programs: Programs, options: RabbitmqOptions): Promise<RabbitmqNode> {
    const folder = await ServerFolder.open('rabbitmq', options);
    const [amqp, distribution, epmd] = (await freePorts(3)) as [number, number, number];
    const node = new RabbitmqNode(programs, folder, { amqp, distribution, epmd });
    await node.#writeSettings(options.settings ?? []);
    return node;
  }

  async plan(): Promise<MachinePlan> {
    const { programs, folder, ports } = this;
    const url = urlAt(ports.amqp);
    const ready = letsIn(url);
    const command = programs['rabbitmq-server']!;
    const scripts = await trimHome(command, folder.file('rabbitmq'));
    return {
      name: 'rabbitmq',
      url,
      folder,
      process: { command, args: [], env: this.#serverEnvironment(scripts) },
      ready: () => acceptsConnections(ports.amqp).then(ready),
      companion: await this.#startEpmd(),
    };
  }

  async ctl(args: readonly string[]): Promise<string> {
    const env = { PATH: process.env['PATH'], LANG: 'C.UTF-8', ...this.#environment() };
    const rabbitmqctl = this.programs['rabbitmqctl']!;
    const { stdout } = await promisify(execFile)(rabbitmqctl, ['--quiet', ...args], { env });
    return stdout;
  }

  async #writeSettings(settings: readonly string[]): Promise<void> {
    const { folder, ports } = this;
    const lines = [`listeners.tcp.1 = 127.0.0.1:${ports.amqp}`, ...SETTINGS, ...settings, ''];
    await mkdir(folder.file('home'), { recursive: true, mode: 0o700 });
    await mkdir(folder.file('log'), { recursive: true });
    await Promise.all([
      writeFile(folder.file('rabbitmq.conf'), lines.join('\n')),
      writeFile(folder.file('enabled_plugins'), '[].\n'),
    ]);
    // Erlang wants the secret readable by nobody else; a kept folder already has one.
    const cookie = folder.file('home/.erlang.cookie');
    await writeFile(cookie, randomBytes(16).toString('hex'), { mode: 0o400, flag: 'wx' }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      },
    );
  }

  /** Everything that would otherwise be looked for in, or written to, the system's own folders. */
  #environment(): Record<string, string> {
    const { folder, ports } = this;
    return {
      HOME: folder.file('home'),
      ERL_CRASH_DUMP: folder.file('erl_crash.dump'),
      ERL_EPMD_ADDRESS: '127.0.0.1',
      ERL_EPMD_PORT: String(ports.epmd),
      RABBITMQ_CONFIG_FILE: folder.file('rabbitmq.conf'),
      RABBITMQ_CONF_ENV_FILE: '/dev/null',
      RABBITMQ_ENABLED_PLUGINS_FILE: folder.file('enabled_plugins'),
      RABBITMQ_LOG_BASE: folder.file('log'),
      RABBITMQ_MNESIA_BASE: folder.data,
      RABBITMQ_NODENAME: NODE_NAME,
    };
  }

  /**
   * One scheduler starts fastest and carries more than a Node client can send; unbound, because
   * every node would bind its first one to the same core. A node that gets its name from Erlang has
   * its port mapper already, and spares the broker a second Erlang that looks for one.
   */
  #serverEnvironment(scripts: string | undefined): Record<string, string> {
    const port = this.ports.distribution;
    const args = [
      '+S 1:1 +stbt u',
      `-start_epmd false -sname ${NODE_NAME}`,
      `-kernel inet_dist_listen_min ${port} inet_dist_listen_max ${port}`,
      '-kernel inet_dist_use_interface {127,0,0,1}',
    ];
    return {
      ...this.#environment(),
      ...(scripts === undefined ? {} : { RABBITMQ_SCRIPTS_DIR: scripts }),
      RABBITMQ_DIST_PORT: String(port),
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: args.join(' '),
      // Makes the script become the server instead of waiting for it as its parent.
      RUNNING_UNDER_SYSTEMD: 'true',
    };
  }

  async #startEpmd(): Promise<ServerProcess> {
    const port = this.ports.epmd;
    const epmd = new ServerProcess({
      name: 'epmd',
      command: this.programs['epmd']!,
      args: ['-port', String(port), '-address', '127.0.0.1'],
      logFile: this.folder.file('epmd.log'),
    });
    await epmd.start(() => acceptsConnections(port));
    return epmd;
  }
}

function urlAt(port: number): string {
  return `amqp://guest:guest@127.0.0.1:${port}`;
}

function letsIn(url: string): Probe {
  return async () => {
    const connection = await connect(url, { timeout: CONNECT_MS });
    await connection.close();
  };
}
