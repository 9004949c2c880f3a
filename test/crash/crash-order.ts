import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { waitUntil } from '../servers/wait-until.js';
import type { AppProcess } from '../stack/index.js';
import type { Place } from './passing.js';

const TAKEN_MS = 60_000;

/** Tells a process where to die: at the passing with this number of this place. */
export interface CrashOrder {
  /** Said by the process before it dies. */
  readonly name: string;
  readonly at: Place;
  readonly nth: number;
}

/** Orders a running process to die; resolves when it has read the order. */
export async function orderCrash(victim: AppProcess, order: CrashOrder): Promise<void> {
  const { app, folder, pid } = victim;
  if (pid === undefined) throw new Error(`${app} does not run`);
  const file = orderFile(folder, app);
  writeFileSync(`${file}.part`, JSON.stringify(order));
  renameSync(`${file}.part`, file);
  process.kill(pid, 'SIGUSR2');
  const taken = async (): Promise<void> => {
    if (victim.log.includes(takenText(order, pid))) return;
    throw new Error('it has not said so');
  };
  await waitUntil(taken, { what: `${app} does not take its order`, deadlineMs: TAKEN_MS });
}

/** Reads the order of this process, once. */
export function takeOrder(folder: string, app: string): CrashOrder {
  const file = orderFile(folder, app);
  const order = JSON.parse(readFileSync(file, 'utf8')) as CrashOrder;
  rmSync(file);
  return order;
}

/** The text that a process prints when it has read its order. */
export function takenText({ name }: CrashOrder, pid: number): string {
  return `process ${pid} will die at ${name}`;
}

/** The text that a process prints when it dies. */
export function deathText({ name }: CrashOrder, pid: number): string {
  return `process ${pid} dies at ${name}`;
}

function orderFile(folder: string, app: string): string {
  return path.join(folder, `${app}.crash.json`);
}
