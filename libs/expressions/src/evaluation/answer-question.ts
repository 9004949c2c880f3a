import type { Answer, AnswerKind, JsonValue, Question, QuestionMember } from '#core';
import { isObject } from '#core/json';
import { CHILDREN_MAX } from '#core/task';
import { momentMs, parseDuration, WrongDuration } from '#wording';
import { expressionsIn, isExpression } from '../marks.js';
import { parseExpression } from '../parse-expression.js';
import { ExpressionFailed } from './evaluate-expression.js';
import { UnusableResult } from './plain-json.js';

/** Works out one expression, marks included. Throws `ExpressionFailed` or `UnusableResult`. */
type Evaluate = (text: string, terms: EvaluationTerms) => Promise<JsonValue>;

/** Where an expression stands, how long its lists may be, and the kind of its value. */
interface EvaluationTerms {
  readonly place: string;
  readonly entriesMax: number;
  /** Its value is steps, in which data must stay data. */
  readonly isOfSteps: boolean;
}

/** Most entries of lists: of what is kept as a value, and of items that get child tasks. */
const ENTRIES_MAX = 10_000;

const ISO_8601 = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d))?$/;

/** The end of the year 9999, as for a moment that is written out: more are milliseconds. */
const MOMENT_MAX = 253_402_300_799_999;

const KINDS: Readonly<Record<AnswerKind, (value: JsonValue) => JsonValue>> = {
  json: (value) => value,
  gate: trueOrFalse,
  flag: trueOrFalse,
  first: trueOrFalse,
  text: (value) => wanted(value, typeof value === 'string', 'a text'),
  object: (value) => wanted(value, isObject(value), 'an object'),
  list: (value) => wanted(value, Array.isArray(value), 'a list'),
  items: (value) => wanted(value, Array.isArray(value), 'a list'),
  steps: (value) => wanted(value, Array.isArray(value), 'a list'),
  duration: durationOf,
  moment: momentOf,
};

/** Whether anything in a question has to be worked out. */
export function needsEvaluation({ members }: Question): boolean {
  return members.some(({ template }) => expressionsIn(template).length > 0);
}

/**
 * Answers a question, member by member. Literals stay as they are, in the units of a plan;
 * `evaluate` evaluates expressions. Rejects where that fails other than by a fault.
 */
export async function answerQuestion(question: Question, evaluate: Evaluate): Promise<Answer> {
  const values: [string, JsonValue][] = [];
  const answering = new Answering(evaluate);
  try {
    for (const member of question.members) {
      const value = await answering.answer(member);
      values.push([member.name, value]);
      if (member.as === 'gate' && value === false) break;
    }
  } catch (error) {
    const isExpected = error instanceof ExpressionFailed || error instanceof UnusableResult;
    if (!isExpected) throw error;
    const position = error instanceof ExpressionFailed ? error.position : null;
    return { fault: { member: answering.place, position, reason: error.message } };
  }
  return { values: Object.fromEntries(values) };
}

/** Kinds of members whose templates may have expressions within. */
const FILLED: ReadonlySet<AnswerKind> = new Set(['json', 'object', 'list', 'items']);

/** Kinds of members that are lists. */
const LISTS: ReadonlySet<AnswerKind> = new Set(['list', 'items', 'steps']);

class Answering {
  /** The member that is worked out, with the place in it. */
  place = '';
  #entriesMax = ENTRIES_MAX;
  #isOfSteps = false;
  readonly #evaluateBy: Evaluate;

  constructor(evaluate: Evaluate) {
    this.#evaluateBy = evaluate;
  }

  async answer({ name, template, as }: QuestionMember): Promise<JsonValue> {
    this.place = name;
    this.#entriesMax = as === 'items' ? CHILDREN_MAX : ENTRIES_MAX;
    this.#isOfSteps = as === 'steps';
    if (as === 'first') return await this.#firstThatHolds(name, template);
    if (isExpression(template)) return asWanted(await this.#result(template, as), as);
    if (FILLED.has(as)) return await this.#fill(template);
    return literal(template, as);
  }

  #evaluate(text: string): Promise<JsonValue> {
    const terms = { entriesMax: this.#entriesMax, isOfSteps: this.#isOfSteps };
    return this.#evaluateBy(text, { ...terms, place: this.place });
  }

  /** The result of an expression; where a list is wanted, what it picked from one is a list. */
  async #result(text: string, as: QuestionMember['as']): Promise<JsonValue> {
    const result = await this.#evaluate(text);
    if (!LISTS.has(as) || Array.isArray(result)) return result;
    return (await this.#mayPick(text)) ? pickedList(result) : result;
  }

  /** Whether an expression picks from a list; one that only names its value does not. */
  async #mayPick(text: string): Promise<boolean> {
    const parsed = parseExpression(text);
    if ('message' in parsed || parsed.passed === null) return true;
    for (const passed of parsed.passed) {
      if (Array.isArray(await this.#evaluate(passed))) return true;
    }
    return false;
  }

  async #firstThatHolds(name: string, template: JsonValue): Promise<number> {
    const conditions = Array.isArray(template) ? (template as readonly JsonValue[]) : [template];
    for (const [index, condition] of conditions.entries()) {
      this.place = `${name}/${index}`;
      const holds = isExpression(condition) ? await this.#evaluate(condition) : condition;
      if (asWanted(holds, 'first') === true) return index;
    }
    return conditions.length;
  }

  /** A template with its expressions replaced by their results. */
  async #fill(template: JsonValue): Promise<JsonValue> {
    const member = this.place;
    const results: JsonValue[] = [];
    for (const { pointer, text } of expressionsIn(template)) {
      this.place = `${member}${pointer}`;
      results.push(await this.#evaluate(text));
    }
    this.place = member;
    return results.length === 0 ? template : filled(template, results.values());
  }
}

/** A literal was checked when the flow was read; its durations are in milliseconds. */
function literal(template: JsonValue, as: QuestionMember['as']): JsonValue {
  return as === 'duration' || as === 'moment' ? template : asWanted(template, as);
}

/** Results are taken in the order in which the expressions were found. */
function filled(template: JsonValue, results: Iterator<JsonValue>): JsonValue {
  if (isExpression(template)) return results.next().value as JsonValue;
  if (typeof template !== 'object' || template === null) return template;
  if (Array.isArray(template)) return template.map((entry: JsonValue) => filled(entry, results));
  const members = Object.entries(template as Readonly<Record<string, JsonValue | undefined>>);
  return Object.fromEntries(
    members.map(([name, member]) => [name, member && filled(member, results)]),
  );
}

/** The result of an expression, converted to the kind of its member. Throws `UnusableResult`. */
function asWanted(value: JsonValue, kind: AnswerKind): JsonValue {
  return KINDS[kind](value);
}

function trueOrFalse(value: JsonValue): JsonValue {
  return wanted(value, typeof value === 'boolean', 'true or false');
}

function wanted(value: JsonValue, isRight: boolean, what: string): JsonValue {
  if (isRight) return value;
  throw new UnusableResult(`it comes to ${named(value)}, not to ${what}`);
}

/**
 * Turns the value that an expression picked from a list into a list. To the library nothing is an
 * empty list, and a list of one is the same as its entry.
 */
function pickedList(value: JsonValue): JsonValue {
  if (value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function durationOf(value: JsonValue): JsonValue {
  if (typeof value !== 'number' && typeof value !== 'string') {
    return wanted(value, false, 'a duration');
  }
  try {
    return parseDuration(value);
  } catch (error) {
    if (!(error instanceof WrongDuration)) throw error;
    throw new UnusableResult(`it comes to ${named(value)}, as a duration ${error.message}`);
  }
}

function momentOf(value: JsonValue): JsonValue {
  const ms = typeof value === 'number' ? Math.round(value * 1_000) : textMoment(value);
  const isMoment = ms >= 0 && ms <= MOMENT_MAX;
  if (isMoment) return ms;
  return wanted(value, false, 'a moment: write seconds since 1970, or 2030-01-31T08:00:00Z');
}

function textMoment(value: JsonValue): number {
  return typeof value === 'string' && ISO_8601.test(value) ? momentMs(value) : NaN;
}

function named(value: JsonValue): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a text' : String(value);
}
