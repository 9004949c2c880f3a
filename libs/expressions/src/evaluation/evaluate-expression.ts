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
import { ExpressionFailed } from './expression-failed.js';
import { plainJson, UnusableResult } from './plain-json.js';

/** Most elements of a list that is made on the way to a result. */
const SEQUENCE_MAX = 10_000;

/** Reasons for the error codes that the library gives when one of its limits is exceeded. */
const LIMITS: ReadonlyMap<unknown, string> = new Map([
  ['D1011', TOO_DEEP],
  ['D2014', `a list gets more than ${SEQUENCE_MAX} elements`],
  ['D2015', `a list gets more than ${SEQUENCE_MAX} elements`],
]);

/** Compiled expressions that are kept. */
const COMPILED_MAX = 500;

const compiled = new Map<string, jsonata.Expression>();

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
  return { ...Object.fromEntries(forbidden), env, index, input, state, steps, task };
}

/**
 * Evaluates one expression, marks included, in this very thread and for as long as it takes: only
 * for a process that may be ended. Throws `ExpressionFailed` for every fault of the expression.
 */
export async function evaluateExpression(
  text: string,
  parameters: unknown,
  variables: Record<string, unknown>,
): Promise<JsonValue> {
  const expression = compile(text);
  try {
    return plainJson(await expression.evaluate(parameters, variables));
  } catch (error) {
    throw failureOf(error, text);
  }
}

function failureOf(error: unknown, text: string): ExpressionFailed {
  if (error instanceof UnusableResult) return new ExpressionFailed(null, error.message);
  const thrown = error as { readonly code?: unknown; readonly position?: unknown };
  const { message, position } = libraryFault(thrown, takeMarksOff(text)!);
  const reason = LIMITS.get(thrown.code) ?? message;
  return new ExpressionFailed(typeof thrown.position === 'number' ? position : null, reason);
}

function compile(text: string): jsonata.Expression {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const parsed = parseExpression(text);
  if ('message' in parsed) throw new ExpressionFailed(parsed.position, parsed.message);
  if (compiled.size === COMPILED_MAX) compiled.clear();
  const limits = { stack: EXPRESSION_DEPTH_MAX, sequence: SEQUENCE_MAX };
  const expression = jsonata(parsed.source, limits);
  compiled.set(text, expression);
  return expression;
}
