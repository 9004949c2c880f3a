import type { Outcome } from '#core';
import type { CommandFault } from '#executor';
import type { CommandContext } from '#ports';
import { type Blow, loseAttempt, type ProcessContext, strike, TaskPaths } from '#process';
import type { StepFault } from './flow-test.js';

interface ArmedFault extends StepFault {
  strikes: number;
}

/** Identity of an attempt that is completed from outside. */
interface LeftAttempt {
  readonly taskId: string;
  readonly run: string;
}

/**
 * Makes attempts of the steps of a task fail, those of its child tasks included, and keeps the
 * tokens of attempts that are completed from outside.
 */
export class StepFaults {
  readonly #paths: TaskPaths;
  readonly #byRoot = new Map<string, readonly ArmedFault[]>();
  readonly #tokens = new Map<string, string>();
  /** Ends when every task that is being made is known. */
  #known: Promise<unknown> = Promise.resolve();

  constructor(private readonly context: ProcessContext) {
    this.#paths = new TaskPaths(context.store);
  }

  /** Makes a task by `create`, which resolves to its id, and arms these faults before it moves. */
  async arm(faults: readonly StepFault[], create: () => Promise<string>): Promise<string> {
    const created = create().then((taskId) => {
      this.#byRoot.set(
        taskId,
        faults.map((fault) => ({ ...fault, strikes: 0 })),
      );
      return taskId;
    });
    this.#known = Promise.allSettled([this.#known, created]);
    return created;
  }

  /** The faults of a task that have struck no attempt so far. */
  unstruck(taskId: string): readonly StepFault[] {
    return (this.#byRoot.get(taskId) ?? []).filter(({ strikes }) => strikes === 0);
  }

  /** The token that completes an attempt; undefined: its command has not said that it is left. */
  tokenOf({ run, taskId }: LeftAttempt): string | undefined {
    return this.#tokens.get(keyOf(taskId, run));
  }

  /** Stands in for one attempt of any command. */
  faultFor(context: CommandContext): CommandFault {
    return async (command) => {
      await this.#known;
      const fault = await this.#find(context);
      const { isStruck, outcome } =
        fault === undefined
          ? { isStruck: false, outcome: await command() }
          : await strike(blowOf(fault), this.#attempt(context, command));
      if (isStruck && fault !== undefined) fault.strikes += 1;
      if (outcome.kind === 'completes_later') {
        this.#tokens.set(keyOf(context.taskId, context.run), context.completionToken);
      }
      return outcome;
    };
  }

  #attempt(context: CommandContext, command: () => Promise<Outcome>) {
    return { context, command, crash: () => loseAttempt(this.context, context) };
  }

  async #find({ attempt, direction, run, step, taskId }: CommandContext) {
    if (this.#byRoot.size === 0) return undefined;
    const { path, root } = await this.#paths.placeOf(taskId);
    return this.#byRoot.get(root)?.find((fault) => {
      return (
        (fault.direction ?? 'normal') === direction &&
        (fault.attempt ?? attempt) === attempt &&
        isNamed(fault.step, { step, run: `${path}${run}` })
      );
    });
  }
}

/** Whether a test means a run by this name: its step's, its path, or that without labels. */
export function isNamed(
  name: string,
  { run, step }: { readonly step: string; readonly run: string },
): boolean {
  return name === step || name === run || name === withoutLabels(run);
}

/** A path without the labels of its scopes and the numbers of generations: `each/make`. */
function withoutLabels(run: string): string {
  return run.replaceAll(/#[^/]+(?=\/)/g, '').replaceAll(/~\d+/g, '');
}

function keyOf(taskId: string, run: string): string {
  return JSON.stringify([taskId, run]);
}

/** A fault of one attempt leaves the others to the flow; any other one is there to stay. */
function blowOf(fault: StepFault): Blow {
  const {
    attempt,
    direction = 'normal',
    error,
    how = 'error',
    retryable,
    where = 'before',
  } = fault;
  const isRetried = retryable ?? attempt !== undefined;
  const undo = direction === 'normal' ? '' : 'the rollback of ';
  const message = fault.message ?? `the test makes ${undo}${fault.step} fail`;
  return { where, how, error, message, isTerminal: !isRetried };
}
