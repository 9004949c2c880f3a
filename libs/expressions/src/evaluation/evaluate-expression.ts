import jsonata from 'jsonata';
import type { JsonValue, Scene } from '#core';
import { FORBIDDEN_FUNCTIONS } from '../known-variables.js';
import { takeMarksOff } from '../marks.js';
import {
  EXPRESSION_DEPTH_MAX,
  libraryFault,
  parseExpression,
  TOO_DEEP,
} from '../parse-expression.js';
import { withDataKept } from './data-in-steps.js';
import { plainJson, UnusableResult } from './plain-json.js';

/** Error codes that the library gives when a list gets too long. */
const TOO_LONG: ReadonlySet<unknown> = new Set(['D2014', 'D2015']);

/** Compiled expressions that are kept. */
const COMPILED_MAX = 500;

const compiled = new Map<string, jsonata.Expression>();

/** Where an expression is evaluated. */
interface Surroundings {
  readonly parameters: unknown;
  readonly variables: Record<string, unknown>;
  /** Most entries of a list. */
  readonly entriesMax: number;
  /** The result is steps, in which data must stay data. */
  readonly isOfSteps: boolean;
}

/** `$index`, `$state` and the rest of what an expression sees besides `$`. */
export function variablesOf(
  { index, input, states, steps, task }: Scene,
  env: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const state = (name: unknown): unknown => {
    if (typeof name !== 'string') throw new UnusableResult('$state wants the name of a step');
    return Object.hasOwn(states, name) ? states[name] : undefined;
  };
  const forbidden = [...FORBIDDEN_FUNCTIONS.keys()].map((name) => [name, undefined]);
  // `$exists` holds of null.
  return {
    ...Object.fromEntries(forbidden),
    env,
    index: index ?? undefined,
    input,
    state,
    steps,
    task,
  };
}

/**
 * Evaluates one expression, marks included, in this very thread and for as long as it takes: only
 * for a process that may be ended. Every list, on the way and in the result, has a bound of
 * its entries. Throws `ExpressionFailed` for every fault of the expression.
 */
export async function evaluateExpression(
  text: string,
  { entriesMax, isOfSteps, parameters, variables }: Surroundings,
): Promise<JsonValue> {
  const expression = compile(text, entriesMax);
  try {
    const result: unknown = await expression.evaluate(parameters, variables);
    const data = [parameters, variables['input'], variables['steps'], variables['task']];
    return plainJson(isOfSteps ? withDataKept(result, { text, data }) : result, entriesMax);
  } catch (error) {
    throw failureOf(error, text, entriesMax);
  }
}

function failureOf(error: unknown, text: string, entriesMax: number): ExpressionFailed {
  if (error instanceof UnusableResult) return new ExpressionFailed(null, error.message);
  const thrown = error as { readonly code?: unknown; readonly position?: unknown };
  const { message, position } = libraryFault(thrown, takeMarksOff(text)!);
  const reason = limitReason(thrown.code, entriesMax) ?? message;
  return new ExpressionFailed(typeof thrown.position === 'number' ? position : null, reason);
}

/** The reason in words where one of the library's limits is exceeded. */
function limitReason(code: unknown, entriesMax: number): string | null {
  if (code === 'D1011') return TOO_DEEP;
  return TOO_LONG.has(code) ? `a list gets more than ${entriesMax} elements` : null;
}

function compile(text: string, entriesMax: number): jsonata.Expression {
  const key = `${entriesMax} ${text}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const parsed = parseExpression(text);
  if ('message' in parsed) throw new ExpressionFailed(parsed.position, parsed.message);
  if (compiled.size === COMPILED_MAX) compiled.clear();
  const limits = { stack: EXPRESSION_DEPTH_MAX, sequence: entriesMax };
  const expression = jsonata(parsed.source, limits);
  // The library's own reads JSON, without the care of `parseJson`.
  const copy = (value: unknown): unknown =>
    value === undefined ? undefined : plainJson(value, entriesMax);
  expression.registerFunction('clone', copy, '<(oa)-:o>');
  expression.registerFunction('base64encode', base64Of, '<s-:s>');
  compiled.set(key, expression);
  return expression;
}

/** A byte for each character. The library's own makes half of a character a byte as well. */
function base64Of(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (!/[\u0100-\uffff]/.test(text)) return Buffer.from(text, 'latin1').toString('base64');
  throw new UnusableResult('$base64encode takes no characters beyond U+00FF');
}

/** Thrown where an expression gives no result; the message says why, for the author of the flow. */
export class ExpressionFailed extends Error {
  override readonly name = 'ExpressionFailed';

  /** `position`: where in the text with its marks, from 0 on; null: not of one place. */
  constructor(
    readonly position: number | null,
    reason: string,
  ) {
    super(reason);
  }
}
