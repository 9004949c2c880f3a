import { isDeepStrictEqual } from 'node:util';
import type { FastifyRequest } from 'fastify';
import { type ChangedRecord, type Principal, whyNotChange } from '#access';
import { forbidden, principalOf } from '#http-server';
import type { NotificationOrder, NotificationRecord, NotificationScope } from '#ports';
import { seesFacts } from '../access/visible.js';
import type { OssOptions } from '../options.js';
import { actorOf } from '../requests/headers.js';
import { type NamedResource, putNamed, type StoredRecord } from '../requests/named-resource.js';
import { MASK } from './channel.request.js';
import type { ChannelSecrets } from './channel-secrets.js';
import { wrongNotification } from './notification.request.js';

/** The parts of the gateway by which a request changes notifications. */
export type NotificationParts = Pick<
  OssOptions,
  'changes' | 'clock' | 'entropy' | 'notifications'
> & { readonly secrets: ChannelSecrets };

/** Stores what a request writes under a name. Throws a `Problem`. */
export async function writeNotification(
  parts: NotificationParts,
  name: string,
  { order, request }: { readonly order: NotificationOrder; readonly request: FastifyRequest },
): Promise<StoredRecord<NotificationRecord>> {
  expectSeen(order, principalOf(request));
  const change = (before: NotificationRecord | null): Promise<NotificationRecord> =>
    recordOf(parts, { before, name, order, request });
  return putNamed(notificationsIn(parts), name, { change, request });
}

/** The notifications as requests find and remove them. */
export function notificationsIn({
  notifications: records,
}: Pick<NotificationParts, 'notifications'>): NamedResource<NotificationRecord> {
  return {
    records,
    noun: 'notification',
    notFound: 'NOTIFICATION_NOT_FOUND',
    sees: seesNotification,
    changed: changedOf,
    wrongName: wrongNotification,
  };
}

/** Whether the caller sees a rule: one who sees all tasks, or who has the limits of its writer. */
function seesNotification(principal: Principal, record: NotificationRecord): boolean {
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
