import { isDeepStrictEqual } from 'node:util';
import type { FastifyRequest } from 'fastify';
import { type ChangedRecord, type Principal, whyNotChange } from '#access';
import { forbidden, invalidRequest, principalOf, Problem } from '#http-server';
import {
  type NotificationOrder,
  type NotificationRecord,
  type NotificationScope,
  RecordUnreadable,
  StoreUnavailable,
} from '#ports';
import { nameTaken, nullWhereHidden, seesFacts } from '../access/visible.js';
import { FLOW_NAME_PATTERN } from '../flows/flow-name.js';
import type { OssOptions } from '../options.js';
import { actorOf, expectedRevisions } from '../requests/headers.js';
import { expectAnyGeneration, orUnreadable } from '../requests/unreadable-record.js';
import { MASK } from './channel.request.js';
import type { ChannelSecrets } from './channel-secrets.js';
import { wrongNotification } from './notification.request.js';

/** The parts of the gateway by which a request changes notifications. */
export type NotificationParts = Pick<
  OssOptions,
  'changes' | 'clock' | 'entropy' | 'notifications'
> & { readonly secrets: ChannelSecrets };

/** A notification that was stored. */
interface StoredNotification {
  readonly record: NotificationRecord;
  readonly isNew: boolean;
}

/** Writes that are tried: each of the others was overtaken by one that took effect. */
const TRIES = 50;

/** Stores what a request writes under a name. Throws a `Problem`. */
export async function writeNotification(
  parts: NotificationParts,
  name: string,
  { order, request }: { readonly order: NotificationOrder; readonly request: FastifyRequest },
): Promise<StoredNotification> {
  expectName(name);
  const principal = principalOf(request);
  expectSeen(order, principal);
  for (let n = 0; n < TRIES; n += 1) {
    const hidden = (): Problem => nameTaken(principal, 'notification');
    const stored = await orUnreadable(parts.notifications.find(name), principal, hidden);
    // In the place of one that cannot be read a new one is made: nothing of it is known.
    const before = stored instanceof RecordUnreadable ? null : stored;
    if (before !== null && !seesNotification(principal, before)) throw hidden();
    expectGeneration(stored, request);
    const next = await recordOf(parts, { before, name, order, request });
    const isNew = before === null;
    if (next === before || (await parts.notifications.save(next, stored))) {
      return { record: next, isNew };
    }
  }
  throw overtaken(name);
}

/** Removes a notification that the caller sees, or one that nobody can read. Throws a `Problem`. */
export async function removeNotification(
  parts: Pick<NotificationParts, 'notifications'>,
  name: string,
  request: FastifyRequest,
): Promise<void> {
  const principal = principalOf(request);
  for (let n = 0; n < TRIES; n += 1) {
    const before = await orUnreadable(findNotification(parts, name, principal), principal);
    expectGeneration(before, request);
    if (await parts.notifications.remove(name, before)) return;
  }
  throw overtaken(name);
}

/** A notification, where the caller sees it. Throws the `Problem` that there is none. */
export async function findNotification(
  { notifications }: Pick<NotificationParts, 'notifications'>,
  name: string,
  principal: Principal,
): Promise<NotificationRecord> {
  const finding = FLOW_NAME_PATTERN.test(name) ? notifications.find(name) : null;
  const found = await finding?.catch(nullWhereHidden(principal));
  if (found && seesNotification(principal, found)) return found;
  const shown = name.length > 200 ? `${name.slice(0, 200)}...` : name;
  throw new Problem('NOTIFICATION_NOT_FOUND', `There is no notification ${JSON.stringify(shown)}.`);
}

/** Whether somebody sees a rule: one who sees all tasks, or who has the limits of its writer. */
export function seesNotification(principal: Principal, record: NotificationRecord): boolean {
  return whyNotChange(principal, changedOf(record)) === null;
}

function changedOf({ scope }: NotificationRecord): ChangedRecord {
  return { kind: 'notification', scope };
}

function scopeOf({ flows, labels }: Principal): NotificationScope {
  return { flows, labels };
}

interface Writing {
  readonly before: NotificationRecord | null;
  readonly name: string;
  readonly order: NotificationOrder;
  readonly request: FastifyRequest;
}

async function recordOf(
  { changes, clock, entropy, secrets }: NotificationParts,
  { before, name, order, request }: Writing,
): Promise<NotificationRecord> {
  const now = clock.now();
  const id = before?.id ?? entropy.newId();
  const stored = before?.order.channel ?? null;
  const channel = secrets.complete(order.channel, stored, id);
  expectNoMask(channel);
  const written = { ...order, channel };
  if (before !== null) {
    const clear = { ...before.order, channel: secrets.open(before.order.channel, id) };
    if (isDeepStrictEqual(clear, written)) {
      const isOld = secrets.isOfOldKey(before.order.channel);
      const order = isOld ? { ...written, channel: secrets.hide(channel, id) } : before.order;
      return adopted({ ...before, order }, { before, request, updatedAt: now });
    }
  }
  return {
    name,
    id,
    revision: (before?.revision ?? 0) + 1,
    generation: (before?.generation ?? 0) + 1,
    order: { ...order, channel: secrets.hide(channel, id) },
    // Whoever changes it must not widen what its messages tell.
    scope: before?.scope ?? scopeOf(principalOf(request)),
    since: before?.since ?? (await changes.newest()),
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
    updatedBy: actorOf(request),
    ...keyOf(request),
    quietUntil: 0,
  };
}

/** A notification that is stored again, and when. */
interface Again {
  readonly before: NotificationRecord;
  readonly request: FastifyRequest;
  readonly updatedAt: number;
}

/** The same again changes nothing, apart from whose it is and the key that it is sealed with. */
function adopted(
  same: NotificationRecord,
  { before, request, updatedAt }: Again,
): NotificationRecord {
  const own = keyOf(request);
  const isOurs = own.keyId === undefined || own.keyId === before.keyId;
  if (isOurs && same.order === before.order) return before;
  const revision = before.revision + 1;
  return { ...same, ...own, updatedAt, updatedBy: actorOf(request), revision };
}

function keyOf(request: FastifyRequest): { readonly keyId?: string } {
  const { keyId } = principalOf(request);
  return keyId === null ? {} : { keyId };
}

/** A key with limits hears of what it sees, and of nothing else. */
function expectSeen({ on }: NotificationOrder, principal: Principal): void {
  const kind = on.find((one) => !seesFacts(principal, one));
  if (kind === undefined) return;
  throw forbidden(principal, `is limited, and ${kind} is about all tasks`);
}

function expectNoMask(channel: object): void {
  for (const [member, value] of Object.entries(channel)) {
    if (typeof value !== 'string' || !(value === MASK || value.endsWith(`/${MASK}`))) continue;
    const message = `\`${member}\` is masked, but no value is stored for it and this receiver.`;
    const hint = 'Send the value itself.';
    throw wrongNotification({
      pointer: `/channel/${member}`,
      code: 'WRONG_CHANNEL',
      message,
      hint,
    });
  }
}

function expectName(name: string): void {
  if (FLOW_NAME_PATTERN.test(name)) return;
  const message = 'The name of a notification has letters, digits, `-`, `_` and `.`, at most 100.';
  const hint = 'It begins with a letter or digit.';
  throw wrongNotification({ pointer: '/name', code: 'WRONG_NAME', message, hint });
}

function expectGeneration(
  before: NotificationRecord | RecordUnreadable | null,
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
    throw new Problem('REVISION_CHANGED', `There is a notification ${before.name} already.`);
  }
  if (headers['if-match'] === undefined) return;
  if (before === null) throw new Problem('REVISION_CHANGED', 'There is no such notification yet.');
  const { generation, name } = before;
  if (expectedRevisions(headers)?.includes(generation) !== false) return;
  throw new Problem('REVISION_CHANGED', `Notification ${name} is at generation ${generation}.`);
}

function overtaken(name: string): StoreUnavailable {
  return new StoreUnavailable(`The notification ${name} is being changed all the time.`);
}
