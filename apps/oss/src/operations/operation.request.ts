import { IsBoolean, IsIn, IsNumber, Max, Min } from 'class-validator';
import type { JsonObject } from '#core';
import { invalidRequest } from '#http-server';
import { OPERATION_ACTIONS, type OperationAction, type OperationOrder } from '#ports';
import { type BodySchema, schemaOfBody } from '../requests/body-schema.js';
import { Described, IsText, MayBeAbsent } from '../requests/decorators.js';
import { readableLineForm } from '../requests/limits.js';
import { reasonReader, ReasonRequest, restartReader } from '../requests/operate.request.js';
import { RequestReader } from '../requests/request-reader.js';
import { readTaskSearch, SEARCH_LENGTH_MAX } from '../requests/task-search.js';
import { expectSize } from '../tasks/member-size.js';
import { expectSizes, VERBS } from '../tasks/task-verbs.js';

/** Tasks a second. */
const RATE_MIN = 0.1;
const RATE_MAX = 1_000;
const RATE_DEFAULT = 100;

const SEARCH = readableLineForm(SEARCH_LENGTH_MAX);

/** Members that belong to the action. */
const DETAILS = ['to', 'step', 'output', 'error', 'parameters', 'children'] as const;

const ACTION = `\`action\` is one of ${OPERATION_ACTIONS.join(', ')}.`;
const Q = `\`q\` says which tasks, as a list of tasks is searched: 1 to ${SEARCH_LENGTH_MAX} characters.`;
const RATE = `\`ratePerSecond\` is a number from ${RATE_MIN} to ${RATE_MAX}.`;

/** Body of `POST /v1/operations`. The class of each action checks its further members. */
class OperationRequest extends ReasonRequest {
  @IsIn(OPERATION_ACTIONS, { message: ACTION })
  action!: OperationAction;

  @Described('Which tasks, as `GET /v1/tasks?q=` takes it: `flow:create-* status:failed`.')
  @IsText(SEARCH, Q)
  q!: string;

  @Described(`Tasks a second. Default: ${RATE_DEFAULT}; no limit in a dry run.`)
  @MayBeAbsent()
  @Max(RATE_MAX, { message: RATE })
  @Min(RATE_MIN, { message: RATE })
  @IsNumber({}, { message: RATE })
  ratePerSecond?: number;

  @Described('Report what would happen to each task, and change none.')
  @MayBeAbsent()
  @IsBoolean({ message: '`dryRun` is `true` or `false`.' })
  dryRun?: boolean;

  @MayBeAbsent()
  to?: unknown;

  @MayBeAbsent()
  step?: unknown;

  @MayBeAbsent()
  output?: unknown;

  @MayBeAbsent()
  error?: unknown;

  @MayBeAbsent()
  parameters?: unknown;

  @MayBeAbsent()
  children?: unknown;
}

/** The JSON Schema of the body: one kind for each action, with the members of that action. */
export const OPERATION_SCHEMA = { oneOf: OPERATION_ACTIONS.map(schemaOfAction) };

function schemaOfAction(action: OperationAction): BodySchema {
  const whole = schemaOfBody(OperationRequest);
  const common = Object.entries(whole.properties).filter(([name]) => !isDetail(name));
  const { properties, required = [] } = readerOf(action).schema;
  return {
    ...whole,
    required: [...new Set([...(whole.required ?? []), ...required])],
    properties: { ...Object.fromEntries(common), action: { const: action }, ...properties },
  };
}

function readerOf(action: OperationAction): RequestReader<object> {
  if (action === 'restart') return restartReader;
  return action === 'delete' ? reasonReader : VERBS[action].reader;
}

function isDetail(name: string): boolean {
  return DETAILS.some((detail) => detail === name);
}

const reader = new RequestReader(OperationRequest, OPERATION_SCHEMA);

/** Reads what is to be done to which tasks; throws the `Problem` that it cannot be. */
export function readOperation(body: unknown, maxParameters: number): OperationOrder {
  const { action, dryRun: isDryRun = false, q, ratePerSecond, reason, ...rest } = reader.read(body);
  const details = Object.fromEntries(
    DETAILS.filter((name) => rest[name] !== undefined).map((name) => [name, rest[name]]),
  ) as JsonObject;
  expectDetails(action, { reason, ...details }, maxParameters);
  expectSearch(q);
  const rate = ratePerSecond ?? (isDryRun ? null : RATE_DEFAULT);
  return { action, q, reason, details, ratePerSecond: rate, isDryRun };
}

function expectDetails(action: OperationAction, body: JsonObject, maxParameters: number): void {
  if (action === 'delete') {
    reasonReader.read(body);
    return;
  }
  if (action === 'restart') {
    const { parameters } = restartReader.read(body);
    if (parameters !== undefined) expectSize(parameters, maxParameters);
    return;
  }
  const event = VERBS[action].read(body, (reason) => ({ actor: '', reason, key: null }));
  expectSizes(event, maxParameters);
}

function expectSearch(q: string): void {
  const search = readTaskSearch(q);
  if ('flows' in search) return;
  const faults = search.map(({ hint, message, position }) => {
    return { pointer: '/q', message: `At character ${position}: ${message}`, hint };
  });
  throw invalidRequest(...faults);
}
