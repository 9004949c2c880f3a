import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Api } from '../load/index.js';
import { waitUntil } from '../servers/wait-until.js';
import { type AppProcess, createKey, planStandalone, REPOSITORY } from '../stack/index.js';
import { writeFlows, writeHosts } from '../trial/inputs.js';
import { Exchange, membersOf, type Reply, type Sent } from './exchange.js';
import { LivezWatch } from './livez-watch.js';
import { forgetPeak } from './peak-memory.js';
import type { Subject } from './reproduction.js';

const ENTRY = path.join(REPOSITORY, 'dist/test/hostile/odd-standalone.js');
const FLOW_MS = 60_000;
/** One step that does nothing. */
const QUICK = { quick: [{ normal: { module: 'lab', command: 'succeed' } }] };

/** Options of a stand. */
export interface StandOptions {
  readonly folder: string;
  readonly subject: Pick<Subject, 'callers' | 'flows' | 'openFiles' | 'settings'>;
  /**
   * By how much longer everything may take than it should: 1 on a quiet machine, more where others
   * work beside it.
   */
  readonly patience: number;
}

/** One life of a standalone process with odd commands, and a watcher of its `/livez`. */
export class Stand {
  readonly api: Api;
  readonly exchange: Exchange;
  readonly folder: string;
  private readonly keys = new Map<string, string>();

  private constructor(
    private readonly options: StandOptions,
    readonly process: AppProcess,
    private watched: LivezWatch | undefined,
  ) {
    this.folder = options.folder;
    this.api = new Api(process.url);
    this.exchange = new Exchange(process.url);
  }

  static async open(options: StandOptions): Promise<Stand> {
    const { folder, subject } = options;
    mkdirSync(folder, { recursive: true });
    const flows = await writeFlows(folder, QUICK);
    for (const [name, flow] of Object.entries(subject.flows ?? {})) {
      writeFileSync(path.join(flows, `${name}.json`), JSON.stringify({ [name]: flow }));
    }
    const resourceHosts = await writeHosts(folder);
    const auth = subject.callers === undefined ? {} : ({ auth: 'keys' } as const);
    const settings = { flows, resourceHosts, drain: '1s', ...auth, ...subject.settings };
    const { openFiles } = subject;
    const process = await planStandalone({ folder, entry: ENTRY, openFiles, settings });
    const stand = new Stand(options, process, undefined);
    try {
      if (subject.callers !== undefined) stand.keys.set('admin', await createKey(folder, 'admin'));
      await stand.start();
      for (const [name, rights] of Object.entries(subject.callers ?? {})) {
        await stand.addCaller(name, rights);
      }
      return stand;
    } catch (error) {
      await stand.stop();
      throw error;
    }
  }

  get url(): string {
    return this.process.url;
  }

  /** The folder of flow files, which is watched. */
  get flows(): string {
    return path.join(this.folder, 'flow-configs');
  }

  /** The folder of the store and of what the executors keep. */
  get data(): string {
    return path.join(this.folder, 'data');
  }

  /** Watches `/livez`. Throws while the process does not run. */
  get watch(): LivezWatch {
    if (!this.watched) throw new Error('the process does not run');
    return this.watched;
  }

  async start(): Promise<void> {
    await this.process.start();
    this.watched = new LivezWatch(this.url);
    if (this.process.pid !== undefined) forgetPeak(this.process.pid);
  }

  async kill(): Promise<void> {
    await this.watched?.stop();
    this.watched = undefined;
    await this.process.kill();
  }

  async stop(): Promise<void> {
    await this.kill();
    this.exchange.close();
  }

  /** This number of milliseconds, where nobody works beside it. */
  within(ms: number): number {
    return ms * this.options.patience;
  }

  send(sent: Sent): Promise<Reply> {
    return this.exchange.send(sent);
  }

  /** Sends a request with the key of one of the subject's callers. */
  sendAs(name: string, sent: Sent): Promise<Reply> {
    const headers = { authorization: `Bearer ${this.keys.get(name)}`, ...sent.headers };
    return this.send({ ...sent, headers });
  }

  private async addCaller(name: string, rights: object): Promise<void> {
    const body = { name, ...rights };
    const reply = await this.sendAs('admin', { path: '/v1/keys', body });
    const { key } = membersOf<{ key: string }>(reply);
    if (key === undefined) throw new Error(`no key for ${name}: ${reply.status} ${reply.text}`);
    this.keys.set(name, key);
  }

  /** Writes a flow file while the process runs; resolves when the flow can be started. */
  async addFlow(name: string, flow: unknown): Promise<void> {
    writeFileSync(path.join(this.flows, `${name}.json`), JSON.stringify({ [name]: flow }));
    const probe = async (): Promise<void> => {
      const { status } = await this.send({ path: `/v1/flows/${name}` });
      if (status !== 200) throw new Error(`it is ${status}`);
    };
    await waitUntil(probe, { what: `flow ${name} is not there`, deadlineMs: FLOW_MS });
  }
}
