import { mkdir } from 'node:fs/promises';
import type { RunningServer, ServerName } from './server.js';
import type { ServerFolder } from './server-folder.js';
import { ServerProcess } from './server-process.js';
import type { ProcessPlan } from './server-process.js';
import type { Probe } from './wait-until.js';

/** How one kind of server is run on this machine. */
export interface MachinePlan {
  readonly name: ServerName;
  readonly url: string;
  readonly folder: ServerFolder;
  readonly process: Omit<ProcessPlan, 'name' | 'logFile'>;
  /** Fills an empty data folder. Default: the server does that itself. */
  readonly prepare?: () => Promise<void>;
  /** Succeeds when a client is really served. */
  readonly ready: Probe;
  /** A process that has to run beside it and is not its data: started before it, ended after it. */
  readonly companion?: ServerProcess;
}

/** A server installed on this machine, run as plain child processes. */
export class MachineServer implements RunningServer {
  readonly origin = 'machine';
  readonly #process: ServerProcess;

  constructor(private readonly plan: MachinePlan) {
    const logFile = plan.folder.file('server.log');
    this.#process = new ServerProcess({ ...plan.process, name: plan.name, logFile });
  }

  get name(): ServerName {
    return this.plan.name;
  }

  get url(): string {
    return this.plan.url;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Starts it on whatever its folder holds; a server that cannot start leaves nothing behind. */
  async start(): Promise<void> {
    try {
      await this.#start();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  kill(): Promise<void> {
    return this.#process.kill();
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.#start();
  }

  async wipe(): Promise<void> {
    await this.kill();
    await this.plan.folder.wipe();
    await this.#start();
  }

  pause(): Promise<void> {
    return this.#process.pause();
  }

  async resume(): Promise<void> {
    this.#process.resume();
  }

  /** Data that is thrown away needs no orderly end. */
  async stop(): Promise<void> {
    await (this.plan.folder.kept ? this.#process.terminate() : this.kill());
    await this.plan.companion?.kill();
    await this.plan.folder.discard();
  }

  async #start(): Promise<void> {
    const { folder, prepare, ready } = this.plan;
    if (folder.isEmpty) {
      await mkdir(folder.data);
      await prepare?.();
    }
    await this.#process.start(ready);
  }
}
