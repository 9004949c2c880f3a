import type { Answer, JsonObject, JsonValue, Question, StepPlan } from '#core';
import { unmarked } from '#json';
import type { AbortSignalLike, CommandRecord, Evaluator } from '#ports';
import { joinPointer } from './json-pointer.js';
import type { KnownCommands } from './known-commands.js';
import { nearNameHint } from './near-name-hint.js';
import { parseFlowFile, type ParsedFlow, type ParseOptions } from './parse-flow-file.js';
import { type Problem, TEXT_START } from './problem.js';
import { isObject, readJson } from './read-json.js';

/** One flow on its own: sound, or what is wrong with it. */
export type FlowReading =
  | { readonly kind: 'sound'; readonly flow: ParsedFlow }
  | { readonly kind: 'unsound'; readonly problems: readonly Problem[] };

/** A command and the defaults to store for it. */
interface DefaultsOrder {
  readonly module: string;
  readonly command: string;
  readonly defaults: JsonValue;
}

/** Members of an action that can be inherited. */
const OF_ACTION = ['timeout', 'attemptTimeout', 'retry', 'onCrash'] as const;

const MEMBERS: readonly string[] = ['description', ...OF_ACTION, 'rollback'];

/** A list of steps that was made while a task ran: sound, or what is wrong with it. */
export type StepsReading =
  | { readonly kind: 'sound'; readonly steps: readonly StepPlan[] }
  | { readonly kind: 'unsound'; readonly problems: readonly Problem[] };

/** Commands, defaults and names of steps that such a list may use. */
export interface StepsKnown {
  /** Absent: any modules and commands. */
  readonly commands?: KnownCommands | undefined;
  /** Stored defaults of commands, for actions to inherit; absent: none. */
  readonly defaults?: readonly CommandRecord[] | undefined;
  /** Names of the steps in the lists around. */
  readonly around: readonly string[];
}

/** On whose account a list of steps is read. */
export interface StepsAsker {
  /** The flow of the task. */
  readonly flow: string;
  /** Aborted when nobody wants the result any more; absent: a task waits for it. */
  readonly draft?: AbortSignalLike | undefined;
}

/** Reads a list of steps, and ends whatever the list is. Rejects where that cannot be had. */
type ReadSteps = (steps: JsonValue, known: StepsKnown, asker: StepsAsker) => Promise<StepsReading>;

/** Name of the flow that a list of steps is read as. */
export const NAME_OF_STEPS = 'steps';

/** The commands served now, and their defaults. Rejects where they cannot be had now. */
type ServedNow = () => Promise<Pick<StepsKnown, 'commands' | 'defaults'>>;

/** More than a person mends at once. */
const PROBLEMS_MAX = 20;

/**
 * Reads the text of one flow, without the file around it: its list of steps, or the object that has
 * them. Pointers, lines and columns are those of the text. Never throws.
 */
export function parseFlow(name: string, text: string, options: ParseOptions = {}): FlowReading {
  const alone = readJson(text);
  // Else a text could close the object that is put around it, and open something of its own.
  if (alone.kind === 'unreadable') return { kind: 'unsound', problems: [alone.problem] };
  const plain = unmarked(text);
  const file = parseFlowFile(`{${JSON.stringify(name)}:\n${plain}\n}`, options);
  const pointer = joinPointer('', name);
  const [flow] = file.flows;
  if (flow === undefined || file.problems.length > 0) {
    return { kind: 'unsound', problems: file.problems.map((problem) => inText(problem, pointer)) };
  }
  const warnings = flow.warnings.map((problem) => inText(problem, pointer));
  const starts = flow.starts.map((start) => ({ ...start, pointer: withoutFlow(start, pointer) }));
  return { kind: 'sound', flow: { ...flow, line: 1, warnings, starts } };
}

/** The name and what is around the flow stand on a line of their own before the text. */
function inText(problem: Problem, around: string): Problem {
  const pointer = withoutFlow(problem, around);
  if (problem.line === 1) return { ...problem, pointer, column: 1 };
  return { ...problem, pointer, line: problem.line - 1 };
}

function withoutFlow({ pointer }: { readonly pointer: string }, around: string): string {
  return pointer.startsWith(around) ? pointer.slice(around.length) : pointer;
}

/** The problems of the defaults of a command; pointers are into them. Never throws. */
export function problemsOfDefaults({
  command,
  defaults,
  module,
}: DefaultsOrder): readonly Problem[] {
  if (!isObject(defaults)) return [fault('', 'WRONG_TYPE', 'The defaults must be an object.')];
  const unknown = Object.keys(defaults).filter((name) => !MEMBERS.includes(name));
  if (unknown.length > 0) return unknown.map(unknownMember);
  const { description, rollback } = defaults;
  const own = OF_ACTION.flatMap((name) => {
    const value = defaults[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const step: JsonObject = {
    ...(description !== undefined && { description }),
    normal: { module, command, ...Object.fromEntries(own) },
    ...(rollback !== undefined && { rollback }),
  };
  const reading = parseFlow('defaults', JSON.stringify([step]));
  if (reading.kind === 'sound') return [];
  return reading.problems.map((problem) => {
    return { ...problem, ...TEXT_START, pointer: pointerIn(problem.pointer) };
  });
}

/** From the step that the defaults are read as to themselves. */
function pointerIn(pointer: string): string {
  return pointer.replace(/^\/0(?:\/normal(?=\/|$))?/, '');
}

function unknownMember(name: string): Problem {
  const message = `Commands have no default \`${name.slice(0, 60)}\`.`;
  return {
    ...fault(joinPointer('', name), 'UNKNOWN_MEMBER', message),
    hint: nearNameHint(name, MEMBERS),
  };
}

function fault(pointer: string, code: Problem['code'], message: string): Problem {
  const hint = 'Write for example {"timeout": "5m", "retry": 2}.';
  return { ...TEXT_START, pointer, code, message, hint };
}

/** Checks a list of steps like a flow file, with all bounds of one. Never throws. */
export function readSteps(steps: JsonValue, known: StepsKnown): StepsReading {
  return stepsOfReading(parseFlow(NAME_OF_STEPS, JSON.stringify(steps), known));
}

/** The list of steps that was read as if it were a flow. */
export function stepsOfReading(reading: FlowReading): StepsReading {
  if (reading.kind === 'unsound') return reading;
  return { kind: 'sound', steps: reading.flow.definition.steps };
}

/**
 * Evaluates expressions, and checks the values that are steps. An answer has the plan of each, or
 * names every fault.
 */
export class StepReadingEvaluator implements Evaluator {
  constructor(
    private readonly evaluator: Evaluator,
    private readonly read: ReadSteps,
    /** Absent: steps may use any modules and commands. */
    private readonly served?: ServedNow,
  ) {}

  /** The answer. Rejects where there is none now. */
  async answer(question: Question, draft?: AbortSignalLike): Promise<Answer> {
    const answer = await this.evaluator.answer(question, draft);
    if ('fault' in answer) return answer;
    const made = question.members.filter(({ as, name }) => {
      // A file says nothing with an empty list; data may well have nothing to do.
      return as === 'steps' && name in answer.values && !isEmptyList(answer.values[name]);
    });
    const values = { ...answer.values };
    const { states, task } = question.scene;
    const around = Object.keys(states);
    const { flow } = task;
    for (const { name } of made) {
      const known = { around, ...(await this.served?.()) };
      const reading = await this.read(values[name] ?? [], known, { flow, draft });
      if (reading.kind === 'unsound') return faultIn(name, reading.problems);
      values[name] = reading.steps as unknown as JsonValue;
    }
    return { values };
  }
}

function isEmptyList(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.length === 0;
}

function faultIn(member: string, problems: readonly Problem[]): Answer {
  const shown = problems.slice(0, PROBLEMS_MAX).map(({ code, hint, message, pointer }) => {
    const words = message.replaceAll(`Flow \`${NAME_OF_STEPS}\``, 'The list');
    return `${pointer === '' ? 'all of it' : pointer}: ${words} ${hint} [${code}]`;
  });
  const more = problems.length - shown.length;
  const rest = more > 0 ? ` And ${more} more.` : '';
  const reason = `the resulting steps are invalid: ${shown.join(' ')}${rest}`;
  return { fault: { member, position: null, reason, code: 'INVALID_STEPS' } };
}
