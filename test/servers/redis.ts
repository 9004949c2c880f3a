import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ContainerPlan } from './docker-server.js';
import type { Programs } from './find-server.js';
import { freePort } from './free-ports.js';
import type { MachinePlan } from './machine-server.js';
import type { Missing, RunningServer, ServerOptions } from './server.js';
import { ServerFolder } from './server-folder.js';
import { startServer } from './start-server.js';
import type { Probe } from './wait-until.js';

const IMAGE = 'redis:7';
const ANSWER_MS = 2_000;

/** A Redis of its own, with an append-only file. */
export interface RedisOptions extends ServerOptions {
  /** When that file is on disk: before each answer (the default), each second, or at leisure. */
  readonly appendfsync?: 'always' | 'everysec' | 'no';
}

/** A Redis without a password. */
export type RedisServer = RunningServer;

/** Finds or starts Redis. */
export function startRedis(options: RedisOptions = {}): Promise<RedisServer | Missing> {
  return startServer('redis', options, {
    container: () => planContainer(options),
    machine: (programs) => planMachine(programs, options),
  });
}

/** Sends one command of plain words and resolves with the answer as it is on the wire. */
export async function askRedis(url: string, command: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error('redis does not answer')));
  socket.write(`${command}\r\nQUIT\r\n`);
  const answers = await text(socket);
  return answers.replace(/\+OK\r\n$/, '').trimEnd();
}

async function planMachine(programs: Programs, options: RedisOptions): Promise<MachinePlan> {
  const folder = await ServerFolder.open('redis', options);
  const port = await freePort();
  const url = urlAt(port);
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder.data];
  args.push('--save', '', ...appendOnly(options));
  return {
    name: 'redis',
    url,
    folder,
    process: { command: programs['redis-server']!, args },
    ready: answers(url),
  };
}

async function planContainer(options: RedisOptions): Promise<ContainerPlan> {
  const host = await freePort();
  const url = urlAt(host);
  return {
    name: 'redis',
    url,
    image: IMAGE,
    port: { container: 6379, host },
    command: ['redis-server', '--save', '', ...appendOnly(options)],
    ready: answers(url),
  };
}

function appendOnly({ appendfsync = 'always' }: RedisOptions): string[] {
  return ['--appendonly', 'yes', '--appendfsync', appendfsync];
}

function urlAt(port: number): string {
  return `redis://127.0.0.1:${port}`;
}

/** While it reads its file it answers with an error. */
function answers(url: string): Probe {
  return async () => {
    const answer = await askRedis(url, 'PING');
    if (answer !== '+PONG') throw new Error(`redis answers ${answer}`);
  };
}
