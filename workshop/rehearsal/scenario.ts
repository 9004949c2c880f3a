import type { FlowDefinition, JsonObject } from '#core';

/** The result of one attempt of a command. */
export interface ScriptedAnswer {
  /** Output of the command; absent: none. */
  readonly output?: JsonObject;
  /** Code of its error; absent: it succeeds. */
  readonly error?: string;
  readonly message?: string;
  /** Whether the error may be tried again; default: no. */
  readonly retryable?: boolean;
  /** How long it takes, in milliseconds; default: 1. */
  readonly takesMs?: number;
  /** Whether it changes something outside; default: it does where its flow can undo it. */
  readonly effect?: boolean;
}

/** A signal from outside. */
interface ScriptedSignal {
  readonly name: string;
  readonly payload: JsonObject;
  /** Milliseconds after the start of the task. */
  readonly afterMs: number;
}

/** A person's answer to a step that asks for one. */
export interface ScriptedApproval {
  /** Name of the step. */
  readonly step: string;
  readonly isApproved: boolean;
  readonly comment: string;
  /** Milliseconds after the start of the task; where the step asks later, it is given then. */
  readonly afterMs: number;
}

/** The circumstances that a flow is rehearsed in. */
export interface Scenario {
  readonly name: string;
  readonly parameters: JsonObject;
  readonly labels: Readonly<Record<string, string>>;
  /**
   * By the name of a step, or by `module.command`: one for each attempt. The last one stands for
   * all that follow.
   */
  readonly answers: ReadonlyMap<string, readonly ScriptedAnswer[]>;
  readonly signals: readonly ScriptedSignal[];
  readonly approvals: readonly ScriptedApproval[];
}

/** A flow to rehearse, and the scenario. */
export interface RehearsedFlow {
  readonly definition: FlowDefinition;
  readonly scenario: Scenario;
}

/** When something goes wrong in an attempt, seen from the effect of its command. */
export type Where = 'before' | 'during' | 'after';

/** How an attempt goes wrong. */
export type How = 'error' | 'time-out' | 'crash';

/** Every moment, in the order of time. */
export const WHERES: readonly Where[] = ['before', 'during', 'after'];

/** Every way to go wrong. */
export const HOWS: readonly How[] = ['error', 'time-out', 'crash'];

/** One thing that goes wrong in a play. */
export interface Fault {
  /** Id of the run. */
  readonly run: string;
  readonly direction: 'normal' | 'rollback';
  readonly where: Where;
  readonly how: How;
  /** A normal action fails for good: in every attempt. A rollback fails in its first one. */
  readonly attempts: number;
}

/** A fault that a normal action does not get over. */
export function fails(run: string, where: Where, how: How): Fault {
  return { run, direction: 'normal', where, how, attempts: Infinity };
}

/** A fault that a rollback gets over if it is tried again. */
export function failsOnce(run: string, where: Where, how: How): Fault {
  return { run, direction: 'rollback', where, how, attempts: 1 };
}
