import type { FailurePolicy, StepPlan } from '../flow/flow.js';

/** The result of one attempt of a step, or of its rollback. */
export type Scripted = 'done' | 'fails' | 'gives_up' | 'refused';

/** A task in which nothing but its own steps goes wrong, one thing at a time. */
export interface Program {
  readonly steps: readonly StepPlan[];
  /** Decides how every attempt goes. */
  readonly seed: number;
  /** How many of a hundred attempts are done. */
  readonly luck: number;
  /** The attempt during which a person asks for a rollback; null: nobody does. */
  readonly stopAt: number | null;
  /** How many of a hundred undos are done; default: 90. */
  readonly backLuck?: number;
  /** The policy where a step fails; default: it rolls back. */
  readonly onFailure?: FailurePolicy;
  /** The flow that its steps may call. */
  readonly called?: readonly StepPlan[];
}

/** When every program begins. */
export const START_MS = 1_000_000;

/** The random number, from 0 to 1, that jitter is drawn from. */
export const CHANCE = 0.5;

/** Rollbacks that a person tries again; those that fail after these are skipped. */
export const RETRIES_MAX = 9;

/** How an attempt goes: the same whenever it is asked. */
export function scripted({ backLuck = 90, luck, seed }: Program, what: string): Scripted {
  const drawn = hashOf(`${seed} ${what}`);
  const isBack = what.startsWith('-');
  if (drawn % 100 < (isBack ? backLuck : luck)) return 'done';
  if (isBack) return 'gives_up';
  return (['fails', 'fails', 'gives_up', 'refused'] as const)[(drawn >>> 8) % 4] ?? 'fails';
}

/** Whether a person tries a failed rollback again rather than skipping it. */
export function isRetried({ seed }: Program, what: string): boolean {
  return hashOf(`${seed} person ${what}`) % 2 === 0;
}

/** The error code that the command gives its failure. */
export function errorOf({ seed }: Program, what: string): string {
  return hashOf(`${seed} error ${what}`) % 2 === 0 ? 'NO_HOST' : 'QUOTA';
}

/** The ways in which an action comes into the hands of its holder. */
export type Holding = 'session' | 'delivered' | 'held' | 'second_delivery';

/**
 * How an attempt is held: by the session of an executor, or by a worker, which may tell before it
 * gives a sign of life, after it, or after a first claim that did not reach it. To a program it is
 * all the same.
 */
export function heldIn({ seed }: Program, what: string): Holding {
  const ways: readonly Holding[] = ['session', 'session', 'delivered', 'held', 'second_delivery'];
  return ways[hashOf(`${seed} holder ${what}`) % ways.length] ?? 'session';
}

/** The program of a child task: the same steps to call, and attempts that go another way. */
export function childOf(program: Program, run: string): Program {
  return { ...program, seed: hashOf(`${program.seed} child ${run}`) };
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  return (Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) ^ (hash >>> 7)) >>> 0;
}
