import type { FlowVersion, JsonObject, JsonValue } from '#core';
import type { Clock } from '#ports';
import { inputCheck, type InputProblem } from '../input-schema.js';
import { listCommands } from '../known-commands.js';
import type { FlowReading } from '../parse-flow.js';
import type { ParseOptions, Validation } from '../parse-flow-file.js';
import { measure } from '../value-size.js';
import { type Problem, TEXT_START } from '../problem.js';
import {
  NAME_OF_STEPS,
  stepsOfReading,
  type StepsKnown,
  type StepsReading,
} from '../read-steps.js';
import { CheckThread } from './check-thread.js';
import { CheckTooCostly } from './errors.js';
import type { Question } from './protocol.js';
import { TurnBudget } from './turn-budget.js';
import { defaultWorkerUrl } from './worker-url.js';

/** Larger parameters are checked by the worker: characters, names and entries. */
const SIZE_MAX = 16 * 1024;

/** Most steps of checking that are done at once, about 40 ms of them. */
const WORK_MAX = 4_000_000;

/** How checks are run. */
interface FlowCheckerOptions {
  readonly clock: Clock;
  /** The worker's code; by default that of this library. */
  readonly workerUrl?: URL;
}

const NO_PROBLEMS: readonly InputProblem[] = [];

/**
 * Checks what clients send, without ever holding up the event loop: what is small is checked at
 * once, so much in each turn, and the rest by a worker that has a second for each check.
 */
export class FlowChecker {
  readonly #thread: CheckThread;
  readonly #budget = new TurnBudget(WORK_MAX);
  /** Numbers of schemas, by which the worker knows them again. */
  readonly #ids = new WeakMap<JsonObject, number>();
  #lastId = 0;

  constructor({ clock, workerUrl = defaultWorkerUrl() }: FlowCheckerOptions) {
    this.#thread = new CheckThread({ clock, url: workerUrl });
  }

  /** Nothing to do: the worker starts with its first check. */
  start(): Promise<void> {
    return Promise.resolve();
  }

  /** Ends the worker; checks in hand are refused. Safe to call twice. */
  stop(): Promise<void> {
    return this.#thread.stop();
  }

  /**
   * The problems of a request's parameters, by the `input` of the flow; without a promise where
   * the check is quick. A promise may reject with `CheckTooCostly` or `CheckerBusy`.
   */
  checkInput(
    version: FlowVersion,
    parameters: JsonObject,
  ): readonly InputProblem[] | Promise<readonly InputProblem[]> {
    const { input } = version.definition;
    if (input === null) return NO_PROBLEMS;
    const size = measure(parameters, SIZE_MAX);
    if (size > SIZE_MAX) return this.#checkApart(input, parameters);
    const check = inputCheck(input);
    const work = size * check.work;
    if (work > WORK_MAX) return this.#checkApart(input, parameters);
    if (this.#budget.take(work)) return check.findProblems(parameters);
    return this.#budget.nextTurn().then(() => this.checkInput(version, parameters));
  }

  /**
   * Checks a text as the content of a flow file. Rejects with `CheckTooCostly` or `CheckerBusy`.
   * Nothing is kept of it.
   */
  async checkFile(text: string, known: ParseOptions = {}): Promise<Validation> {
    const question = { kind: 'file', text, flow: null, ...listed(known, text) } as const;
    return (await this.#thread.run(question)) as Validation;
  }

  /**
   * Reads the text of one flow of this name, without a file around it. Rejects with
   * `CheckTooCostly` or `CheckerBusy`.
   */
  async readFlow(name: string, text: string, known: ParseOptions = {}): Promise<FlowReading> {
    const question = { kind: 'file', text, flow: name, ...listed(known, text) } as const;
    return (await this.#thread.run(question)) as FlowReading;
  }

  /**
   * Reads a list of steps that came to be while a task ran. One that takes too long to be checked
   * is not sound. Rejects with `CheckerBusy`.
   */
  async readSteps(steps: JsonValue, known: StepsKnown): Promise<StepsReading> {
    try {
      return stepsOfReading(await this.readFlow(NAME_OF_STEPS, JSON.stringify(steps), known));
    } catch (error) {
      if (!(error instanceof CheckTooCostly)) throw error;
      return { kind: 'unsound', problems: [{ ...TEXT_START, ...tooCostly(error) }] };
    }
  }

  async #checkApart(input: JsonObject, parameters: JsonObject): Promise<readonly InputProblem[]> {
    const question = { kind: 'input', id: this.#idOf(input), input, parameters } as const;
    return (await this.#thread.run(question)) as readonly InputProblem[];
  }

  #idOf(input: JsonObject): number {
    const known = this.#ids.get(input);
    if (known !== undefined) return known;
    this.#lastId += 1;
    this.#ids.set(input, this.#lastId);
    return this.#lastId;
  }
}

function tooCostly({ message }: CheckTooCostly): Pick<Problem, 'code' | 'message' | 'hint'> {
  return { code: 'FILE_TOO_LARGE', message, hint: 'Make fewer or smaller steps.' };
}

/**
 * The known commands and flows, as they are sent to the worker: commands by module, and flows with
 * their `input` where the text may name them. Null: not known.
 */
function listed(
  { around, commands: known, defaults, flows }: ParseOptions,
  text: string,
): Pick<Extract<Question, { kind: 'file' }>, 'around' | 'commands' | 'defaults' | 'flows'> {
  const outlines = flows?.map((flow) =>
    text.includes(flow.name) ? flow : { ...flow, input: null },
  );
  return {
    commands: known === undefined ? null : listCommands(known),
    flows: outlines ?? null,
    around: around ?? null,
    defaults: defaults ?? null,
  };
}
