import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { REPOSITORY } from './repository.js';

const ANSWER_MS = 2_000;

/**
 * Where the set of `npm run stack` keeps its data, its logs and what is known about it. A test
 * has a set of its own beside the one that a person works with.
 */
export const STACK_FOLDER =
  process.env['BACKSTEP_TEST_STACK_FOLDER'] ?? path.join(REPOSITORY, '.backstep', 'stack');

const STATE_FILE = path.join(STACK_FOLDER, 'stack.json');

/** One process of the set, as `status -o json` shows it. */
export interface MemberState {
  readonly name: string;
  readonly pid: number | null;
  readonly url: string;
  readonly log: string | null;
}

/** The report of the process that looks after the set. */
export interface StackState {
  readonly pid: number;
  /** Where it is asked whether it is really the one that wrote this. */
  readonly controlUrl: string;
  readonly ready: boolean;
  readonly members: readonly MemberState[];
}

/** The change of the file that is under way, and all that wait for it. */
let changed: Promise<void> = Promise.resolve();

/**
 * Replaces what is known, whole: a reader sees the old or the new. Changes are made one after
 * another, so the latest stays.
 */
export function writeState(state: StackState): Promise<void> {
  return change(async () => {
    await mkdir(STACK_FOLDER, { recursive: true });
    const part = `${STATE_FILE}.part`;
    await writeFile(part, `${JSON.stringify(state, null, 2)}\n`);
    await rename(part, STATE_FILE);
  });
}

/** Forgets the set. */
export function removeState(): Promise<void> {
  return change(() => rm(STATE_FILE, { force: true }));
}

function change(work: () => Promise<void>): Promise<void> {
  const next = changed.then(work);
  changed = next.catch(() => undefined);
  return next;
}

/**
 * The set that runs, or undefined. A file alone proves nothing: after a crash or a new start of
 * the machine its process id is another process's.
 */
export async function readState(): Promise<StackState | undefined> {
  const text = await readFile(STATE_FILE, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { controlUrl, pid } = JSON.parse(text) as StackState;
  try {
    const answer = await fetch(controlUrl, { signal: AbortSignal.timeout(ANSWER_MS) });
    const current = (await answer.json()) as StackState;
    return current.pid === pid ? current : undefined;
  } catch {
    return undefined;
  }
}
