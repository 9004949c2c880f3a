import assert from 'node:assert/strict';
import type { ApiRequest } from './api-requests.js';
import type { WireAnswer, WireRequest } from './http-exchange.js';
import type { ApiDocument, Response } from './openapi.js';

/** A request, as it was sent, and its answer. */
export interface Exchanged {
  readonly request: ApiRequest;
  readonly wire: WireRequest;
  readonly answer: WireAnswer;
}

/** Codes that any address may answer to a request that is not for it. */
const ANYWHERE = ['NOT_FOUND', 'METHOD_NOT_ALLOWED'];

/** Holds an answer against the document. */
export function judgeAnswer(document: ApiDocument, exchanged: Exchanged): void {
  const { answer, request, wire } = exchanged;
  const { mutation, operation } = request;
  const what = `${wire.method} ${wire.target} (${mutation ?? 'sound'}) got ${answer.status}: ${answer.text.slice(0, 600)}`;
  assert.ok(answer.status < 500 || operation.operationId === 'ready', what);
  assert.ok(answer.headers['x-request-id'] !== undefined, what);
  // The answers of another method at this address belong to another operation.
  if (wire.method !== operation.method) {
    assert.deepEqual(Object.keys(Object.prototype), []);
    return;
  }
  if (mutation === null) assert.ok(![400, 405, 413, 415].includes(answer.status), what);
  if (answer.status >= 400) judgeProblem(document, exchanged, what);
  else judgeGood(document, exchanged, what);
  assert.deepEqual(Object.keys(Object.prototype), [], what);
}

function judgeGood(document: ApiDocument, { answer, request }: Exchanged, what: string): void {
  const response = request.operation.responses[answer.status];
  assert.ok(response !== undefined, `undocumented status: ${what}`);
  judgeHeaders(response, answer, what);
  const type = typeOf(answer);
  if (response.content === undefined) return assert.equal(answer.text, '', what);
  const content = response.content[type];
  assert.ok(content !== undefined, `undocumented type ${type}: ${what}`);
  const value: unknown = type === 'application/json' ? JSON.parse(answer.text) : answer.text;
  assert.deepEqual(document.misfits(content.schema, value), [], what);
}

/** A header that the document names only for some answers is not one that it does not name. */
function judgeHeaders({ headers = {} }: Response, answer: WireAnswer, what: string): void {
  const named = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  for (const name of ['etag', 'location', 'idempotent-replayed', 'retry-after', 'allow']) {
    if (answer.headers[name] === undefined) continue;
    assert.ok(named.has(name), `undocumented header ${name}: ${what}`);
  }
}

interface ProblemJson {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly Fault[];
}

interface Fault {
  readonly pointer: string;
  /** Of a text that is read as a flow file. */
  readonly line?: number;
}

function judgeProblem(document: ApiDocument, exchanged: Exchanged, what: string): void {
  const { answer, request } = exchanged;
  assert.equal(typeOf(answer), 'application/problem+json', what);
  const problem = JSON.parse(answer.text) as ProblemJson;
  assert.deepEqual(document.misfits({ $ref: '#/components/schemas/Problem' }, problem), [], what);
  assert.equal(problem.status, answer.status, what);
  assert.notEqual(problem.detail.trim(), '', what);
  if (!ANYWHERE.includes(problem.code)) {
    const described = request.operation.responses[answer.status]?.description ?? '';
    assert.ok(described.includes(`${problem.code}:`), `undocumented ${problem.code}: ${what}`);
  }
  for (const fault of problem.errors ?? []) {
    assert.ok(pointsInto(exchanged, fault), `${fault.pointer} points nowhere: ${what}`);
  }
}

/** By `docs/errors.md`. */
const LEVELS_MAX = 64;

/** Whether a pointer leads to something that was sent, or to the place of what is missing. */
function pointsInto({ request, wire }: Exchanged, { line, pointer }: Fault): boolean {
  if (pointer === '') return true;
  const names = pointer.slice(1).split('/').map(unescape);
  const named = [...Object.keys(wire.headers), ...Object.keys(request.path)];
  const declared = request.operation.parameters.map(({ name }) => name);
  const params = [...declared, ...request.query.map(([name]) => name.slice(0, 60))];
  if (named.includes(pointer.slice(1)) || params.includes(pointer.slice(1))) return true;
  const sent = parsed(wire.body);
  // Of a text that is not JSON either, only the place where it is nested too deeply is told so;
  // of one that is read as a flow, its line as well.
  if (sent === undefined) return line !== undefined || names.length >= LEVELS_MAX;
  let value = completed(sent);
  for (const [place, name] of names.entries()) {
    if (typeof value !== 'object' || value === null) return false;
    if (!Object.hasOwn(value, name)) return place === names.length - 1;
    value = (value as Record<string, unknown>)[name];
  }
  return true;
}

/** A body with the parameters that its flow is given where it names none. */
function completed(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return { parameters: {}, ...body };
}

function unescape(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

function parsed(body: Buffer | undefined): unknown {
  try {
    return JSON.parse(String(body).replace(/^\uFEFF/, '')) as unknown;
  } catch {
    return undefined;
  }
}

function typeOf({ headers }: WireAnswer): string {
  return String(headers['content-type'] ?? '').split(';')[0] ?? '';
}
