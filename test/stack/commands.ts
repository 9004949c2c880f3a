import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { waitUntil } from '../servers/wait-until.js';
import type { AppName } from './app-process.js';
import { USUAL_PORTS, usualPort } from './ports.js';
import { REPOSITORY } from './repository.js';
import { DATABASE } from './stack.js';
import { type MemberState, readState, STACK_FOLDER } from './state.js';

const UP_MS = 120_000;
const DOWN_MS = 60_000;
const ANSWER_MS = 3_000;
const LOG_FILE = path.join(STACK_FOLDER, 'supervisor.log');
const LOG_TAIL = 2_000;

/** Starts the set unless it runs; returns the exit code. */
export async function bringUp(portBase: number): Promise<number> {
  const running = await readState();
  const supervisor = running ? undefined : startSupervisor(portBase);
  try {
    await waitUntil(untilReady, {
      what: 'the stack is not ready',
      deadlineMs: UP_MS,
      hopeless: () => (supervisor && supervisor.exitCode !== null ? lastWords() : undefined),
    });
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  }
  supervisor?.unref();
  const code = await showStatus(false);
  const members = (await readState())?.members ?? [];
  if (supervisor) sayMoved(members, portBase);
  sayHowToUse(members);
  return code;
}

/** Says which processes have other ports than they should. */
function sayMoved(members: readonly MemberState[], portBase: number): void {
  for (const { name, url } of members) {
    const usual = Object.hasOwn(USUAL_PORTS, name) ? usualPort(name as AppName, portBase) : null;
    const isOther = usual !== null && new URL(url).port !== `${usual}`;
    if (isOther) console.error(`port ${usual} was in use: ${name} listens on ${url}`);
  }
}

/** The lines to paste in another terminal. */
function sayHowToUse(members: readonly MemberState[]): void {
  const urlOf = (name: string): string => members.find((member) => member.name === name)?.url ?? '';
  console.error('\nFor the command line, in another terminal:');
  console.error(`  export BACKSTEP_URL=${urlOf('oss')}`);
  console.error('For executors of your own:');
  console.error(`  export BACKSTEP_STORE='${new URL(DATABASE, urlOf('mongo')).href}'`);
  console.error(`  export BACKSTEP_TRANSPORT='${urlOf('rabbitmq')}'`);
}

/** Stops the set; returns the exit code. One that does not run is as good as stopped. */
export async function bringDown(): Promise<number> {
  const running = await readState();
  if (!running) {
    console.error('the stack is not running');
    return 0;
  }
  process.kill(running.pid, 'SIGTERM');
  try {
    await waitUntil(() => isGone(running.pid), { what: 'the stack runs on', deadlineMs: DOWN_MS });
  } catch {
    // Whatever it had started goes with it.
    process.kill(running.pid, 'SIGKILL');
  }
  console.error('the stack is stopped');
  return 0;
}

/** Prints what runs where; returns the exit code. */
export async function showStatus(asJson: boolean): Promise<number> {
  const state = await readState();
  const members = await Promise.all((state?.members ?? []).map(judge));
  if (asJson) console.log(JSON.stringify(members, null, 2));
  else if (members.length > 0) console.log(table(members));
  if (!state) console.error('the stack is not running: `npm run stack -- up` starts it');
  return state?.ready ? 0 : 1;
}

async function untilReady(): Promise<void> {
  const state = await readState();
  if (!state?.ready) throw new Error('it is still starting');
}

function startSupervisor(portBase: number): ChildProcess {
  mkdirSync(STACK_FOLDER, { recursive: true });
  const log = openSync(LOG_FILE, 'w');
  const entry = path.join(REPOSITORY, 'dist/test/stack/main.js');
  const args = [entry, 'supervise', '--port-base', String(portBase)];
  return spawn(process.execPath, ['--enable-source-maps', ...args], {
    cwd: REPOSITORY,
    detached: true,
    stdio: ['ignore', log, log],
  });
}

function lastWords(): string {
  return readFileSync(LOG_FILE, 'utf8').slice(-LOG_TAIL).trim();
}

async function isGone(pid: number): Promise<void> {
  try {
    process.kill(pid, 0);
  } catch {
    return;
  }
  throw new Error('it still runs');
}

/** A member with what it says about itself; servers say nothing. */
async function judge(member: MemberState): Promise<MemberState & { state: string }> {
  if (member.pid === null) return { ...member, state: 'stopped' };
  if (!member.url.startsWith('http')) return { ...member, state: 'running' };
  const signal = AbortSignal.timeout(ANSWER_MS);
  const state = await fetch(`${member.url}/readyz`, { signal }).then(
    ({ ok }) => (ok ? 'ready' : 'not ready'),
    () => 'not answering',
  );
  return { ...member, state };
}

function table(members: readonly (MemberState & { state: string })[]): string {
  const rows = members.map(({ name, pid, state, url }) => [name, String(pid ?? '-'), state, url]);
  const all = [['NAME', 'PID', 'STATE', 'URL'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]!.length)));
  return all
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .join('\n');
}
