import type { Gateway, OwnModules } from '../own-modules.js';
import type { TestedRequest, TestedResponse } from './test-http.js';

/** Options of a flow test. */
export interface FlowTestOptions {
  /**
   * Nest modules whose controllers are executors: classes with `@Executor` and `@Command`. Their
   * commands win over those of Backstep's own modules `http` and `monitor`. A function gets the
   * address of the gateway, which is known once it has started.
   */
  readonly modules: OwnModules | ((gateway: Gateway) => OwnModules);
  /** Folder of flow files. */
  readonly flows: string;
  /**
   * Answers the requests of module `http`; undefined: it does not answer this one. Then, and
   * without this option, only requests to this machine (`localhost`, 127.0.0.1, [::1]) are sent,
   * and all others fail with `ADDRESS_REFUSED`.
   */
  readonly http?: (
    request: TestedRequest,
  ) => TestedResponse | undefined | Promise<TestedResponse | undefined>;
}

/** A step that is made to fail. */
export interface StepFault {
  /**
   * Name of a step that is a command, or the path of one of its runs. A name means the step
   * wherever it runs: in a case, a branch, each round and try, each child task. `each#3/make` is
   * the step `make` in the third child task of `each`; `each/make` is that in all of them.
   */
  readonly step: string;
  /** The command of the step or its rollback. Default: `normal`. */
  readonly direction?: 'normal' | 'rollback';
  /** Before the command is called, or after it has done its work. Default: `before`. */
  readonly where?: 'before' | 'after';
  /** By an error, the end of its time, or the end of its process. Default: `error`. */
  readonly how?: 'error' | 'time-out' | 'crash';
  /** The attempt that fails, from 1 on. Default: every one. */
  readonly attempt?: number;
  /** Code of the error, for `catch` and `retry`. Default: `FAILED`. */
  readonly error?: string;
  /** Message of the error. Default: it names the step. */
  readonly message?: string;
  /** Whether another attempt may follow. Default: only with `attempt`. */
  readonly retryable?: boolean;
}

/** Options of one run. */
export interface RunOptions {
  /**
   * Steps that fail; a name alone fails before its command is called, for good. Everything before
   * it, and it itself, is undone as the flow says. A name that the flow does not have is refused,
   * and so is a fault that has struck no attempt when the task has ended.
   */
  readonly failAt?: string | StepFault | readonly (string | StepFault)[];
  /** Labels of the task. Default: none. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** One step of a task, as far as tests look at it; docs/http-api.md has all members. */
export interface TestedStep {
  readonly name: string;
  /** `succeeded`, `failed`, `timed_out`, `skipped` ... */
  readonly state: string;
  readonly message: string | null;
  /** The output of the command. */
  readonly output: Readonly<Record<string, unknown>> | null;
  /** Null where the flow has no way back for it; its state is `none` where it was not needed. */
  readonly rollback: { readonly state: string; readonly message: string | null } | null;
}

/** Something that a task waits for and that time does not bring. */
export interface TestedWait {
  /** `person`: it is on hold or paused. `command`: one that has been at work for a minute. */
  readonly for: 'approval' | 'signal' | 'completion' | 'lock' | 'person' | 'command';
  /** Path of the run of the step that waits, such as `each#3/ask`; null: the task itself. */
  readonly step: string | null;
  /** A sentence; for a lock it names the task that holds it, and what that one waits for. */
  readonly message: string;
}

/** A task at rest. */
export interface TestedTask {
  readonly taskId: string;
  /** `succeeded`, `rolled_back`, `rollback_failed`, `running` (it waits) ... */
  readonly status: string;
  /** Why it ended so; null where it succeeded. */
  readonly taskMessage: string | null;
  /** The parameters that were sent, and the results of the steps. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The value of the flow's `output`; null: it has none, or the task has not succeeded. */
  readonly output: unknown;
  readonly steps: readonly TestedStep[];
  /** Empty for a task that has ended. */
  readonly waitsFor: readonly TestedWait[];
}

/** Why a step that is completed from outside failed. */
export interface CompletionFailure {
  readonly code: string;
  readonly message: string;
  /** Whether another attempt may follow. Default: no. */
  readonly retryable?: boolean;
}

/**
 * A task under way. Steps are named as in `StepFault`. The methods that name a step first let the
 * task settle, and throw if the step then does not wait for this.
 */
export interface StartedTask {
  readonly taskId: string;
  /**
   * Lets the task settle: it ends, or it waits for something that time does not bring. Waits by the
   * clock are skipped, but not past a moment at which an answer would come too late. Throws where
   * it has ended and a fault of `failAt` has struck no attempt.
   */
  rest(): Promise<TestedTask>;
  /** The task as it is now. */
  look(): Promise<TestedTask>;
  /** Approves a step that asks. */
  approve(step: string, comment?: string): Promise<void>;
  /** Rejects a step that asks. */
  reject(step: string, comment?: string): Promise<void>;
  /** Sends a signal, for a step that waits for it now or later. */
  signal(name: string, payload?: Readonly<Record<string, unknown>>): Promise<void>;
  /** Completes a step whose command has said `completeLater`. */
  complete(step: string, output?: Readonly<Record<string, unknown>>): Promise<void>;
  /** Fails a step whose command has said `completeLater`. */
  fail(step: string, failure: CompletionFailure): Promise<void>;
  /** Any other action of the HTTP interface: `rollback`, `retry`, `skip`, `terminate` ... */
  act(action: string, body?: Readonly<Record<string, unknown>>): Promise<void>;
}

/** Backstep at work for a test. Made by `startFlowTest`. */
export interface FlowTest {
  /** Where its HTTP interface is. */
  readonly url: string;
  /** The time of its tasks, which skips ahead. */
  now(): Date;
  /**
   * Makes a task of the flow and lets it settle. Throws where the request is refused, with the
   * reasons in its message.
   */
  run(
    flow: string,
    parameters?: Readonly<Record<string, unknown>>,
    options?: RunOptions,
  ): Promise<TestedTask>;
  /** Makes a task of the flow and returns at once. Throws as `run` does. */
  start(
    flow: string,
    parameters?: Readonly<Record<string, unknown>>,
    options?: RunOptions,
  ): Promise<StartedTask>;
  /**
   * Lets this time pass for all tasks: milliseconds, or a text such as `36h`. Everything that falls
   * due happens in its order, and settles before the time goes on. A command that is still at work
   * after two seconds is not waited for: its time may be over meanwhile.
   */
  advance(duration: string | number): Promise<void>;
  /** Lets running commands end, stops everything and removes the temporary folder. */
  stop(): Promise<void>;
}
