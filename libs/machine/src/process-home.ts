import { readFileSync, readlinkSync } from 'node:fs';
import os from 'node:os';

/** The tables of processes and of times that a number and a start are told by. */
const NAMESPACES = ['pid', 'time'];

/** The state of a process that has ended, and that its parent has not asked about so far. */
const DEAD_STATES = new Set(['Z', 'X']);

/** Members of `/proc/<pid>/stat` behind the name, which may hold anything: state, and start. */
const STATE = 0;
const STARTED = 19;

/**
 * Where this process runs and which one it is there, as one line: the boot of the machine, its
 * tables of processes, its number, and when it was started. Null: the system does not tell.
 */
export function processHome(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const tables = NAMESPACES.map((name) => readlinkSync(`/proc/self/ns/${name}`));
    const place = [os.hostname(), boot, ...tables].join(' ');
    const { started } = factsOf(process.pid);
    return `${place} ${process.pid} ${started}`;
  } catch {
    return null;
  }
}

/**
 * Whether the process with this home has certainly ended. False where it may live: it runs, or
 * stands still, or is at a place that this process cannot look into.
 */
export function isGone(home: string, own = processHome()): boolean {
  const there = partsOf(home);
  if (own === null || there === null || there.place !== partsOf(own)?.place) return false;
  if (!exists(there.pid)) return true;
  try {
    const { started, state } = factsOf(there.pid);
    return DEAD_STATES.has(state) || started !== there.started;
  } catch {
    // It has ended just now, or others may not look at it: the next question tells.
    return false;
  }
}

function partsOf(home: string) {
  const [, place = '', pid = '', started = ''] = /^(.+) ([1-9]\d*) (\d+)$/.exec(home) ?? [];
  return place === '' ? null : { place, pid: Number(pid), started };
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user cannot be sent a signal.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function factsOf(pid: number): { readonly state: string; readonly started: string } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const members = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, started] = [members[STATE], members[STARTED]];
  if (state === undefined || started === undefined) throw new Error('its state cannot be read');
  return { state, started };
}
