import type { FastifyRequest } from 'fastify';
import { type ChangedRecord, isLimited, type Principal } from '#access';
import {
  expectMayChange,
  type InputFault,
  invalidRequest,
  principalOf,
  Problem,
  type ProblemCode,
} from '#http-server';
import { type Records, RecordUnreadable, StoreUnavailable } from '#ports';
import { type NamedNoun, nameTaken, nullWhereHidden } from '../access/visible.js';
import { FLOW_NAME_PATTERN } from '../flows/flow-name.js';
import { expectedRevisions } from './headers.js';
import { PAGE_MAX } from './limits.js';

/** A record that people store under a name, which is its id. */
interface Named {
  /** 1 and one more with every change by a person. */
  readonly generation: number;
}

/** Records of a kind that requests store under names, and who may do so. */
export interface NamedResource<T extends Named> {
  readonly records: Pick<Records<T>, 'get' | 'list' | 'put' | 'remove'>;
  /** In messages. */
  readonly noun: NamedNoun;
  readonly notFound: ProblemCode;
  /** Whether the caller sees a record; for all others it does not exist. */
  readonly sees: (principal: Principal, record: T) => boolean;
  /** A record as the gate of changes knows it. */
  readonly changed: (record: T) => ChangedRecord;
  /** The problem of a name that no record may have. */
  readonly wrongName: (fault: InputFault) => Problem;
}

/** A record that a request stored. */
export interface StoredRecord<T> {
  readonly record: T;
  readonly isNew: boolean;
}

/** Writes that are tried: each of the others was overtaken by one that took effect. */
const TRIES = 50;

/** The record of a name, where the caller sees it. Throws the `Problem` that there is none. */
export async function findNamed<T extends Named>(
  { notFound, noun, records, sees }: NamedResource<T>,
  name: string,
  principal: Principal,
): Promise<T> {
  const finding = FLOW_NAME_PATTERN.test(name) ? records.get(name) : null;
  const found = await finding?.catch(nullWhereHidden(principal));
  if (found && sees(principal, found)) return found;
  const shown = name.length > 200 ? `${name.slice(0, 200)}...` : name;
  throw new Problem(notFound, `There is no ${noun} ${JSON.stringify(shown)}.`);
}

/** One page of the records that the caller sees, by their names; its cursor is the last name. */
export async function listNamed<T extends Named & { readonly name: string }>(
  { records, sees }: NamedResource<T>,
  { cursor, limit }: { readonly cursor: string | undefined; readonly limit: number },
  principal: Principal,
): Promise<{
  readonly items: readonly T[];
  readonly page: { readonly nextCursor: string | null };
}> {
  const found: T[] = [];
  let after = cursor === undefined ? undefined : { id: cursor };
  let isMore = true;
  while (isMore && found.length <= limit) {
    const page = await records.list({ after, limit: PAGE_MAX });
    found.push(...page.filter((record) => sees(principal, record)));
    isMore = page.length === PAGE_MAX;
    after = { id: page.at(-1)?.name ?? '' };
  }
  const items = found.slice(0, limit);
  return {
    items,
    page: { nextCursor: found.length > limit ? (items.at(-1)?.name ?? null) : null },
  };
}

/** How a record is written, and for whom. The same object from `change` changes nothing. */
interface Write<T, Before> {
  readonly request: FastifyRequest;
  readonly change: (before: Before) => T | Promise<T>;
}

/**
 * Stores what a request writes under a name, if the headers of the request let it: `change` gets
 * what is there, and null where nothing is or what is there cannot be read. Throws a `Problem`.
 */
export async function putNamed<T extends Named>(
  resource: NamedResource<T>,
  name: string,
  { change, request }: Write<T, T | null>,
): Promise<StoredRecord<T>> {
  const { changed, noun, records, sees } = resource;
  expectName(resource, name);
  const principal = principalOf(request);
  for (let n = 0; n < TRIES; n += 1) {
    const hidden = (): Problem => nameTaken(principal, noun);
    const stored = await orUnreadable(records.get(name), principal, hidden);
    const before = stored instanceof RecordUnreadable ? null : stored;
    if (before !== null) {
      if (!sees(principal, before)) throw hidden();
      expectMayChange(principal, changed(before));
    }
    expectGeneration({ noun, name }, stored, request);
    const record = await change(before);
    const isNew = before === null;
    if (record === before || (await records.put(record, stored))) return { record, isNew };
  }
  throw overtaken(resource, name);
}

/** Changes a record that the caller sees. Throws a `Problem`. */
export async function alterNamed<T extends Named>(
  resource: NamedResource<T>,
  name: string,
  { change, request }: Write<T, T>,
): Promise<T> {
  const { changed, noun, records } = resource;
  const principal = principalOf(request);
  for (let n = 0; n < TRIES; n += 1) {
    const before = await findNamed(resource, name, principal);
    expectMayChange(principal, changed(before));
    expectGeneration({ noun, name }, before, request);
    const next = await change(before);
    if (next === before || (await records.put(next, before))) return next;
  }
  throw overtaken(resource, name);
}

/** Removes a record that the caller sees, or one that nobody can read. Throws a `Problem`. */
export async function removeNamed<T extends Named>(
  resource: NamedResource<T>,
  name: string,
  request: FastifyRequest,
): Promise<void> {
  const { changed, noun, records } = resource;
  const principal = principalOf(request);
  for (let n = 0; n < TRIES; n += 1) {
    const before = await orUnreadable(findNamed(resource, name, principal), principal);
    if (!(before instanceof RecordUnreadable)) expectMayChange(principal, changed(before));
    expectGeneration({ noun, name }, before, request);
    if (await records.remove(name, before)) return;
  }
  throw overtaken(resource, name);
}

function expectName<T extends Named>({ noun, wrongName }: NamedResource<T>, name: string): void {
  if (FLOW_NAME_PATTERN.test(name)) return;
  const message = `The name of a ${noun} has letters, digits, \`-\`, \`_\` and \`.\`, at most 100.`;
  const hint = 'It begins with a letter or digit.';
  throw wrongName({ pointer: '/name', code: 'WRONG_NAME', message, hint });
}

function expectGeneration(
  { name, noun }: { readonly name: string; readonly noun: NamedNoun },
  before: Named | RecordUnreadable | null,
  request: FastifyRequest,
): void {
  const { headers } = request;
  const none = headers['if-none-match']?.trim();
  if (none !== undefined && none !== '*') {
    const message =
      'The header `If-None-Match` can only be `*` here, which stores only what is new.';
    throw invalidRequest({ pointer: '/If-None-Match', message });
  }
  if (before instanceof RecordUnreadable) return expectAnyGeneration(before, request);
  if (none === '*' && before !== null) {
    throw new Problem('REVISION_CHANGED', `There is a ${noun} ${name} already.`);
  }
  if (headers['if-match'] === undefined) return;
  if (before === null) throw new Problem('REVISION_CHANGED', `There is no such ${noun} yet.`);
  const { generation } = before;
  if (expectedRevisions(headers)?.includes(generation) !== false) return;
  const which = `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${name}`;
  throw new Problem('REVISION_CHANGED', `${which} is at generation ${generation}.`);
}

function overtaken<T extends Named>({ noun }: NamedResource<T>, name: string): StoreUnavailable {
  return new StoreUnavailable(`The ${noun} ${name} is being changed all the time.`);
}

/**
 * The record that a request is to replace or remove, or the very one in its place that cannot be
 * read. Nobody knows whose that is, so it is left to callers who see everything: for others it
 * throws the `hidden` problem.
 */
async function orUnreadable<T>(
  found: Promise<T>,
  principal: Principal,
  hidden?: () => Problem,
): Promise<T | RecordUnreadable> {
  try {
    return await found;
  } catch (error) {
    if (!(error instanceof RecordUnreadable)) throw error;
    if (isLimited(principal)) throw hidden?.() ?? error;
    return error;
  }
}

/** It is there, whatever it is, and no caller can know at which generation. */
function expectAnyGeneration(
  { id, kind, reason }: RecordUnreadable,
  { headers }: FastifyRequest,
): void {
  const which = `the ${kind} ${id}`;
  if (headers['if-none-match'] !== undefined) {
    const message = `There is ${which} already, which cannot be read: ${reason}.`;
    throw new Problem('REVISION_CHANGED', message);
  }
  if (expectedRevisions(headers) === undefined) return;
  const message = `The generation of ${which} cannot be read: ${reason}.`;
  throw new Problem('REVISION_CHANGED', message);
}
