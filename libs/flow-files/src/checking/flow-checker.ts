import type { FlowVersion, JsonObject, JsonValue } from '#core';
import type { AbortSignalLike, Clock } from '#ports';
import { asDeclared } from '../announced-schemas.js';
import { inputCheck, type InputProblem, measure } from '../input-schema.js';
import { listCommands } from '../known-commands.js';
import {
  type FlowReading,
  NAME_OF_STEPS,
  type StepsAsker,
  type StepsKnown,
  stepsOfReading,
  type StepsReading,
} from '../parse-flow.js';
import type { ParseOptions, Validation } from '../parse-flow-file.js';
import { type Problem, TEXT_START } from '../problem.js';
import { CheckLine } from './check-line.js';
import { CheckTooCostly, type Question } from './protocol.js';
import { defaultWorkerUrl } from './worker-url.js';

/** Larger parameters are checked by a process: characters, names and entries. */
const SIZE_MAX = 16 * 1024;

/** Most steps of checking that are done at once, about 40 ms of them. */
const WORK_MAX = 4_000_000;

/** How checks are run. */
interface FlowCheckerOptions {
  readonly clock: Clock;
  /** Code of the processes; by default that of this library. */
  readonly workerUrl?: URL;
}

/** The text of a flow, and the name that it is to have. */
interface WrittenFlow {
  readonly name: string;
  readonly text: string;
}

/** The rule for a value, and on whose account it is checked. */
interface ValueRule {
  readonly schema: JsonObject;
  /** The value itself, worded to begin a sentence; absent: these are parameters. */
  readonly subject?: string;
  readonly asker: unknown;
}

const NO_PROBLEMS: readonly InputProblem[] = [];

/**
 * Checks what clients send, without ever holding up the event loop: what is small is checked at
 * once, so much in each turn, and the rest by processes that have a second of the processor for
 * each check. Checks that tasks wait for have a process of their own. The other one has drafts:
 * checks that only a request waits for, until `draft` is aborted.
 */
export class FlowChecker {
  readonly #tasks: CheckLine;
  readonly #drafts: CheckLine;
  readonly #budget = new TurnBudget(WORK_MAX);
  /** Numbers of schemas, by which a process knows them again. */
  readonly #ids = new WeakMap<JsonObject, number>();
  #lastId = 0;

  constructor({ clock, workerUrl = defaultWorkerUrl() }: FlowCheckerOptions) {
    this.#tasks = new CheckLine({ clock, url: workerUrl });
    this.#drafts = new CheckLine({ clock, url: workerUrl });
  }

  /** Nothing to do: a process starts with its first check. */
  start(): Promise<void> {
    return Promise.resolve();
  }

  /** Ends the processes; checks in hand are refused. Safe to call twice. */
  async stop(): Promise<void> {
    await Promise.all([this.#tasks.stop(), this.#drafts.stop()]);
  }

  /**
   * The problems of a request's parameters, by the `input` of the flow; without a promise where
   * the check is quick. A promise may reject with `CheckTooCostly`, `CheckerBusy` or
   * `ProcessUnavailable`.
   */
  checkInput(
    version: FlowVersion,
    parameters: JsonObject,
    draft?: AbortSignalLike,
  ): readonly InputProblem[] | Promise<readonly InputProblem[]> {
    const { input: schema, name: asker } = version.definition;
    if (schema === null) return NO_PROBLEMS;
    return this.#check(parameters, { schema, asker }, draft);
  }

  /**
   * The problems of a command's output, by the schema that its executor has declared. Members that
   * the schema does not name are taken, unless it says otherwise. Else like `checkInput`.
   */
  checkOutput(
    schema: JsonObject,
    output: JsonObject,
  ): readonly InputProblem[] | Promise<readonly InputProblem[]> {
    const own = asDeclared(schema);
    return this.#check(output, { schema: own, subject: 'The output', asker: own });
  }

  #check(
    value: JsonObject,
    rule: ValueRule,
    draft?: AbortSignalLike,
  ): readonly InputProblem[] | Promise<readonly InputProblem[]> {
    const size = measure(value, SIZE_MAX);
    if (size > SIZE_MAX) return this.#checkApart(value, rule, draft);
    const check = inputCheck(rule.schema, rule.subject);
    const work = size * check.work;
    if (work > WORK_MAX) return this.#checkApart(value, rule, draft);
    if (this.#budget.take(work)) return check.findProblems(value);
    return this.#budget.nextTurn().then(() => this.#check(value, rule, draft));
  }

  /**
   * Checks a text as the content of a flow file. Rejects with `CheckTooCostly`, `CheckerBusy` or
   * `ProcessUnavailable`. Nothing is kept of it.
   */
  async checkFile(
    text: string,
    known: ParseOptions = {},
    draft?: AbortSignalLike,
  ): Promise<Validation> {
    const question = { kind: 'file', text, flow: null, ...listed(known, text) } as const;
    return (await this.#drafts.run(question, { asker: draft, signal: draft })) as Validation;
  }

  /**
   * Reads a text as one flow, without a file around it. Rejects with `CheckTooCostly`,
   * `CheckerBusy` or `ProcessUnavailable`.
   */
  async readFlow(
    { name, text }: WrittenFlow,
    known: ParseOptions = {},
    draft?: AbortSignalLike,
  ): Promise<FlowReading> {
    const question = { kind: 'file', text, flow: name, ...listed(known, text) } as const;
    return (await this.#drafts.run(question, { asker: draft, signal: draft })) as FlowReading;
  }

  /**
   * Reads a list of steps that was made while a task ran. One that takes too long to be checked is
   * not sound. Rejects with `CheckerBusy` or `ProcessUnavailable`.
   */
  async readSteps(
    steps: JsonValue,
    known: StepsKnown,
    { draft, flow: asker }: StepsAsker,
  ): Promise<StepsReading> {
    const written = { name: NAME_OF_STEPS, text: JSON.stringify(steps) };
    try {
      if (draft !== undefined) return stepsOfReading(await this.readFlow(written, known, draft));
      const { name: flow, text } = written;
      const question = { kind: 'file', text, flow, ...listed(known, text) } as const;
      return stepsOfReading((await this.#tasks.run(question, { asker })) as FlowReading);
    } catch (error) {
      if (!(error instanceof CheckTooCostly)) throw error;
      return { kind: 'unsound', problems: [{ ...TEXT_START, ...tooCostly(error) }] };
    }
  }

  async #checkApart(
    parameters: JsonObject,
    { asker, schema: input, subject }: ValueRule,
    draft: AbortSignalLike | undefined,
  ): Promise<readonly InputProblem[]> {
    const question = { kind: 'input', id: this.#idOf(input), input, subject, parameters } as const;
    const found =
      draft === undefined
        ? this.#tasks.run(question, { asker })
        : this.#drafts.run(question, { asker: draft, signal: draft });
    return (await found) as readonly InputProblem[];
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
 * The known commands and flows, as they are sent to a process: commands by module, and flows with
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

/** Shares out the time of one turn of the event loop, so that no turn gets too long. */
class TurnBudget {
  readonly #max: number;
  #left: number;

  /** `max`: most work of a turn, in any unit. */
  constructor(max: number) {
    this.#max = max;
    this.#left = max;
  }

  /** Takes work from this turn; false where it is used up. */
  take(work: number): boolean {
    if (work > this.#left) return false;
    if (this.#left === this.#max) {
      setImmediate(() => {
        this.#left = this.#max;
      });
    }
    this.#left -= work;
    return true;
  }

  /** Resolves in the next turn. */
  nextTurn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
}
