import * as fc from 'fast-check';
import type { JsonObject, JsonValue } from '#core';
import {
  LAST_CURSOR,
  MADE_BEFORE,
  MADE_SOUND,
  SAMPLES,
  SAMPLES_OF,
  WHOLE_BODIES,
} from './api-samples.js';
import { hostileObject, wellFormedText } from './hostile-values.js';
import type { ApiDocument, Operation, Parameter, Schema } from './openapi.js';

/** A request of an operation before it is sent: which task it is about is not known yet. */
export interface ApiRequest {
  readonly operation: Operation;
  readonly method: string;
  /** Values in the path; those that name a task are its place among the tasks there are. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  /** The text of the body, and the value it stands for where it is JSON. */
  readonly body?: Buffer;
  /** How the request breaks the document; null: the request is sound. */
  readonly mutation: string | null;
}

/** How much more often a value that leads somewhere is sent than one that is made up. */
const SAMPLE_WEIGHT = 4;

/** Reads are hardly ever refused; what acts is, unless its task or flow is just as it must be. */
const WEIGHTS = { read: 1, act: 4 };

/** How often these are asked for: of their sound requests, fewer than of others are done. */
const RARELY_DONE: Readonly<Record<string, number>> = {
  createTask: 12,
  deleteTask: 7,
  putFlow: 12,
  putSchedule: 14,
  putNotification: 6,
  removeNotification: 4,
  pauseSchedule: 4,
  resumeSchedule: 5,
  removeSchedule: 4,
  getCommand: 3,
  putCommand: 8,
  getFlowVersion: 3,
  triggerSchedule: 6,
  removeCommand: 8,
  skipTask: 20,
  undoTask: 7,
  approveTask: 8,
  rejectTask: 8,
  listEvents: 12,
};

/** Sound requests of every operation of the document, or of these alone. */
export function soundRequests(
  document: ApiDocument,
  operations: readonly Operation[] = document.operations,
): fc.Arbitrary<ApiRequest> {
  const weights = operations.map((operation) => {
    const usual = operation.method === 'GET' ? WEIGHTS.read : WEIGHTS.act;
    const weight = RARELY_DONE[operation.operationId] ?? usual;
    return { weight, arbitrary: requestOf(document, operation) };
  });
  return fc.oneof(...weights);
}

function requestOf(document: ApiDocument, operation: Operation): fc.Arbitrary<ApiRequest> {
  const of = (place: Parameter['in']) => valuesOf(document, operation, place);
  const { body, method } = operation;
  const given = WHOLE_BODIES[operation.operationId];
  const made = body === undefined ? fc.constant(undefined) : bodyOf(document, body);
  const sound = MADE_SOUND[operation.operationId];
  const whole = sound === undefined ? made : made.map((sent) => sound(sent as JsonObject));
  const value = given === undefined ? whole : fc.oneof(fc.constantFrom(...given), whole);
  return fc
    .tuple(of('path'), of('query'), of('header'), value, acceptOf(operation))
    .map(([path, query, headers, sent, accept]) => {
      const type = sent === undefined ? {} : { 'content-type': 'application/json' };
      const parts = {
        path,
        query: Object.entries(query),
        headers: { ...keyless(guardedOnce(headers), sent), ...accept, ...type },
      };
      const shown = { [fc.toStringMethod]: showRequest };
      const request = { operation, method, ...parts, mutation: null, ...shown };
      return sent === undefined ? request : { ...request, body: Buffer.from(JSON.stringify(sent)) };
    });
}

/** Where there are several kinds of answers, one of them is asked for. */
function acceptOf({ responses }: Operation): fc.Arbitrary<Readonly<Record<string, string>>> {
  const types = Object.keys(responses[200]?.content ?? {});
  if (types.length < 2) return fc.constant({});
  return fc.constantFrom(...types).map((type) => ({ accept: type }));
}

/** Drops `If-None-Match` beside `If-Match`: a request with both is always refused. */
function guardedOnce(headers: Readonly<Record<string, string>>): typeof headers {
  const { 'If-None-Match': none, ...rest } = headers;
  return 'If-Match' in headers && none !== undefined ? rest : headers;
}

/** A key is given once, or there is none. */
function keyless(headers: Readonly<Record<string, string>>, body: unknown): typeof headers {
  const inBody = typeof body === 'object' && body !== null && 'idempotencyKey' in body;
  const { 'Idempotency-Key': key, ...rest } = headers;
  return inBody || key === undefined ? rest : headers;
}

/** For the report of a failure: the document's part would bury the rest. */
function showRequest(this: ApiRequest): string {
  const { body, headers, method, mutation, operation, path, query } = this;
  const sent = body === undefined ? undefined : String(body).slice(0, 2_000);
  const of = operation.operationId;
  return JSON.stringify({ of, mutation, method, path, query, headers, body: sent });
}

function valuesOf(
  document: ApiDocument,
  { parameters, path: address }: Operation,
  place: Parameter['in'],
): fc.Arbitrary<Readonly<Record<string, string>>> {
  const those = parameters.filter((parameter) => parameter.in === place);
  const own = SAMPLES_OF[address.split('/')[2] ?? ''];
  const model = Object.fromEntries(
    those.map((parameter) => [parameter.name, textOf(document, parameter, own)]),
  );
  const required = those.filter((parameter) => parameter.required).map(({ name }) => name);
  return fc.record(model, { requiredKeys: required, noNullPrototype: true });
}

function textOf(
  document: ApiDocument,
  parameter: Parameter,
  own: Readonly<Record<string, readonly string[]>> = {},
): fc.Arbitrary<string> {
  const { in: place, name, schema } = parameter;
  const samples = (own[name] ?? SAMPLES[name] ?? []).filter((sample) => {
    // A sample that stands for something fits once that takes its place.
    const isKnownLater = MADE_BEFORE.test(sample) || sample === LAST_CURSOR;
    return isKnownLater || document.faults(schema, valueOf(sample, schema)).length === 0;
  });
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum.map(String));
  if (schema.type === 'integer') {
    const { minimum: min = 0, maximum: max = 1_000 } = schema;
    return sampled(samples, fc.integer({ min, max }).map(String));
  }
  const isNarrow = document.faults(schema, 'x').length > 0;
  const isClosed = isNarrow || ['taskId', 'cursor', 'q'].includes(name);
  if (isClosed && samples.length > 0) return fc.constantFrom(...samples);
  // They would be drawn for ever.
  if (isNarrow) throw new Error(`${name} has no sample, and texts by chance hardly ever fit it`);
  const any = wellFormedText.filter((text) => {
    const isFit = document.faults(schema, text).length === 0;
    return isFit && (place === 'query' || /^[^\s\p{Cc}"](\P{Cc}*[^\s\p{Cc}])?$/u.test(text));
  });
  const value = sampled(samples, any);
  return place === 'header' ? value.map(asHeader) : value;
}

/** The value that a text in an address stands for. */
function valueOf(text: string, { type }: Schema): JsonValue {
  if (type === 'integer') return Number(text);
  if (type === 'array') return [text];
  return type === 'boolean' ? text === 'true' : text;
}

function sampled(samples: readonly string[], any: fc.Arbitrary<string>): fc.Arbitrary<string> {
  if (samples.length === 0) return any;
  return fc.oneof({ weight: SAMPLE_WEIGHT, arbitrary: fc.constantFrom(...samples) }, any);
}

/** Headers carry bytes: a text travels as its UTF-8. */
export function asHeader(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function bodyOf(document: ApiDocument, schema: Schema, name = ''): fc.Arbitrary<JsonValue> {
  const { items, properties, type: types, ...rest } = document.resolve(schema);
  const [type] = [types].flat();
  if (rest.const !== undefined) return fc.constant(rest.const as JsonValue);
  if (rest.enum !== undefined) return fc.constantFrom(...(rest.enum as JsonValue[]));
  if (rest.oneOf !== undefined) {
    // The samples of times are texts.
    const parts = rest.oneOf.filter(({ type: each }) => each !== 'number' && each !== 'integer');
    return fc.oneof(...parts.map((part) => bodyOf(document, part, name)));
  }
  if (type === 'object' && properties !== undefined) {
    const model = Object.fromEntries(
      Object.entries(properties).map(([name, part]) => [name, bodyOf(document, part, name)]),
    );
    const requiredKeys = [...(rest.required ?? [])];
    return fc.record(model, { requiredKeys, noNullPrototype: true });
  }
  if (type === 'array' && items !== undefined) {
    const lengths = { minLength: rest.minItems ?? 0, maxLength: Math.min(4, rest.maxItems ?? 4) };
    const item = bodyOf(document, items);
    if (rest.uniqueItems !== true) return fc.array(item, lengths);
    return fc.uniqueArray(item, { ...lengths, selector: (value) => JSON.stringify(value) });
  }
  const range = { min: rest.minimum ?? 0, max: rest.maximum ?? 100 };
  if (type === 'integer') return fc.integer(range);
  if (type === 'number') return fc.double({ ...range, noNaN: true });
  if (type === 'boolean') return fc.boolean();
  if (type === 'string') {
    const isFit = (text: string): boolean => document.faults(schema, text).length === 0;
    const samples = SAMPLES[name] ?? [];
    // A rule that is so narrow says too little: a text that fits it may still be refused.
    if (!isFit('x') && samples.length > 0) return fc.constantFrom(...samples);
    const { pattern } = rest;
    const any =
      pattern === undefined ? wellFormedText : fc.stringMatching(new RegExp(pattern, 'u'));
    return sampled(samples, any.filter(isFit));
  }
  const { additionalProperties: each } = rest;
  if (typeof each === 'object') {
    return each.type === 'object' ? outputsOf(document, each) : labelsOf(document, schema);
  }
  return hostileObject({ text: wellFormedText, without: ['__proto__'] });
}

/** Objects by the names of steps. */
function outputsOf(document: ApiDocument, each: Schema): fc.Arbitrary<JsonValue> {
  const name = sampled(SAMPLES['step'] ?? [], wellFormedText);
  return fc
    .array(fc.tuple(name, bodyOf(document, each)), { maxLength: 3 })
    .map((entries) => Object.fromEntries(entries));
}

function labelsOf(document: ApiDocument, schema: Schema): fc.Arbitrary<JsonValue> {
  return fc
    .array(fc.tuple(wellFormedText, wellFormedText), { maxLength: 3 })
    .map((entries): Record<string, string> => Object.fromEntries([['team', 'db'], ...entries]))
    .filter((labels) => document.faults(schema, labels).length === 0);
}
