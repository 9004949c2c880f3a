import type { HttpApi, JsonObject } from '../../schemas/http-api.js';

/** The gateway of a stage, as a drill asks it. A request rejects where its process has ended. */
export interface DrillGateway {
  /** Creates a task, or finds the one that the same key created before. */
  createTask(order: HttpApi['CreateTask'], key: string): Promise<{ readonly taskId: string }>;
  getTask(taskId: string): Promise<DrilledTask>;
  /** All that has happened to a task so far. */
  events(taskId: string): Promise<readonly DrilledEvent[]>;
  /** Follows a task until it stands still. `onTask` gets it at each change. */
  followTask(taskId: string, onTask: (task: DrilledTask) => void): Promise<Sight>;
  /** One page of tasks, the newest first. */
  listTasks(query: Readonly<Record<string, string>>): Promise<HttpApi['TaskPage']>;
  /** Answers a step that waits for a person or a signal. */
  operate(taskId: string, verb: Saying, order: SayingOrder): Promise<unknown>;
  /** Completes an attempt whose work is done outside. */
  complete(taskId: string, completion: Completion): Promise<unknown>;
  /** Whether a task moves no more without a person. */
  standsStill(task: DrilledTask): boolean;
  /** Whether a request rejected with this error because no process answers. */
  isUnreachable(error: unknown): boolean;
}

/** The members of a task that a drill reads. */
export interface DrilledTask extends Pick<HttpApi['Task'], 'status' | 'taskId' | 'taskMessage'> {
  readonly steps: readonly DrilledStep[];
}

/** The members of a step that a drill reads; which of them a step has follows from its kind. */
export interface DrilledStep {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly state: string;
  readonly normal?: object;
  readonly rollback?: { readonly state: string; readonly attemptTimeout?: unknown } | null;
  readonly wait?: { readonly for?: unknown; readonly until?: unknown; readonly signal?: string };
  readonly scopes?: readonly { readonly steps: readonly DrilledStep[] }[];
}

/** The members of an event that a drill reads. */
interface DrilledEvent {
  readonly kind: string;
  readonly direction?: string;
  readonly step?: string;
  readonly run?: string;
}

/** A task and all that has happened to it. */
export interface Sight {
  readonly task: DrilledTask;
  readonly events: readonly DrilledEvent[];
}

/** The answers that a step may wait for. */
export type Saying = 'approve' | 'reject' | 'signal';

/** Such an answer; `key` makes a repetition harmless. */
export interface SayingOrder {
  readonly key: string;
  readonly step?: string;
  readonly comment?: string;
  readonly name?: string;
  readonly payload?: JsonObject;
}

/** The end of an attempt, as its scenario has it. */
type Completion = { readonly run: string; readonly token: string } & (
  | { readonly output: JsonObject }
  | { readonly error: { code: string; message: string; retryable: boolean } }
);

/** Steps, and all steps that they hold, in every scope that was entered. */
export function allSteps(steps: readonly DrilledStep[]): readonly DrilledStep[] {
  return steps.flatMap((step) => {
    return [step, ...(step.scopes ?? []).flatMap((scope) => allSteps(scope.steps))];
  });
}
