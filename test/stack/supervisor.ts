import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SETTINGS, variableOf } from '#settings';
import type { RunningServer } from '../servers/index.js';
import type { AppProcess, WrittenSettings } from './app-process.js';
import { Stack } from './stack.js';
import {
  type MemberState,
  removeState,
  STACK_FOLDER,
  type StackState,
  writeState,
} from './state.js';

/** Between the end of a process and its next life: time to see that it is gone. */
const RESTART_MS = 1_000;

/**
 * Looks after the set of `npm run stack`: starts it, starts again what ends, and stops all of it
 * when it is told to. Should it be killed, everything it has started goes with it.
 */
export class Supervisor {
  #stack: Stack | undefined;
  #stopping = false;
  #ready = false;
  #controlUrl = '';

  constructor(private readonly portBase: number) {}

  /** Starts the set; resolves when it is ready. */
  async start(): Promise<void> {
    await this.#listen();
    await this.#tell();
    this.#stack = await Stack.start({
      folder: STACK_FOLDER,
      keep: true,
      executors: { http: 1 },
      portBase: this.portBase,
      settings: settingsFrom(process.env),
      environmentOf: () => othersIn(process.env),
    });
    for (const process of this.#stack.processes) {
      process.onUnexpectedExit = () => this.#restartLater(process);
    }
    this.#watchServers(Object.values(this.#stack.servers));
    this.#ready = true;
    await this.#tell();
  }

  /** Stops the set: drained first, then without asking. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#stack?.stop({ orderly: true });
    await removeState();
  }

  get #state(): StackState {
    return {
      pid: process.pid,
      controlUrl: this.#controlUrl,
      ready: this.#ready,
      members: this.#members(),
    };
  }

  #members(): readonly MemberState[] {
    if (!this.#stack) return [];
    const { processes, servers } = this.#stack;
    return [
      ...Object.values(servers).map(({ name, pid = null, url }) => ({ name, pid, url, log: null })),
      ...processes.map(({ name, pid = null, url, logFile: log }) => ({ name, pid, url, log })),
    ];
  }

  async #listen(): Promise<void> {
    const control = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(this.#state));
    });
    control.listen(0, '127.0.0.1');
    await once(control, 'listening');
    this.#controlUrl = `http://127.0.0.1:${(control.address() as AddressInfo).port}/`;
  }

  /** The set runs on where its file cannot be written. */
  async #tell(): Promise<void> {
    if (this.#stopping) return;
    await writeState(this.#state).catch((error: unknown) => {
      console.error(`the state of the set could not be written: ${String(error)}`);
    });
  }

  #restartLater(process: AppProcess): void {
    setTimeout(() => {
      if (this.#stopping || process.pid !== undefined) return;
      process.launch();
      void this.#tell();
    }, RESTART_MS);
  }

  /** Servers do not tell when they end. */
  #watchServers(servers: readonly RunningServer[]): void {
    const busy = new Set<RunningServer>();
    setInterval(() => {
      for (const server of servers) {
        const isGone = server.origin === 'machine' && server.pid === undefined;
        if (this.#stopping || !isGone || busy.has(server)) continue;
        busy.add(server);
        server.restart().then(
          () => this.#tell().finally(() => busy.delete(server)),
          (error: unknown) => {
            busy.delete(server);
            console.error(`${server.name} could not be started again: ${String(error)}`);
          },
        );
      }
    }, RESTART_MS);
  }
}

/** Settings that the set decides by itself. */
const OWN = new Set(['store', 'transport', 'http', 'data']);

/**
 * Variables of the caller's environment that are no settings: those of OpenTelemetry, of Node,
 * and what executors, flows and secrets are told by.
 */
function othersIn(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const isOther = (name: string): boolean => !/^(npm_|BACKSTEP_(?!X_))/i.test(name);
  const found = Object.entries(env).filter(([name, value]) => isOther(name) && value !== undefined);
  return Object.fromEntries(found) as Record<string, string>;
}

/** Settings of the caller's environment, for all processes alike. */
function settingsFrom(env: NodeJS.ProcessEnv): WrittenSettings {
  const keys = Object.keys(SETTINGS).filter((key) => !OWN.has(key));
  const found = [...keys, ...keys.map((key) => `${key}File`)].flatMap((key) => {
    const value = env[variableOf(key)];
    return value === undefined ? [] : [[key, value]];
  });
  return Object.fromEntries(found) as WrittenSettings;
}
