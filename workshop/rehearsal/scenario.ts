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
