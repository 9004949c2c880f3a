import { Controller, Inject } from '@nestjs/common';
import { type KeyOrder, type MadeKey, makeKey, personOf, WrongKeyOrder } from '#access';
import { newSecret } from '#machine';
import { invalidRequest, Problem } from '#http-server';
import { allOf, type KeyRecord } from '#ports';
import { type AccessParts, type CommonParts, OSS_OPTIONS } from '../options.js';
import { KEY_ROUTES } from './keys.routes.js';
import { type Asked, Handles } from '../requests/asked.js';
import { type Shown, timeText } from '../requests/shown.js';

const KEY_ID = /^[0-9a-f]{16}$/;

/** A key as everybody may see it who may see keys; times in ISO 8601. */
type PublicKey = Shown<'Key'>;

/** Makes API keys, lists them and takes them back. */
@Controller()
export class KeysController {
  constructor(@Inject(OSS_OPTIONS) private readonly options: CommonParts & AccessParts) {}

  /** The only answer that ever has the key itself. */
  @Handles(KEY_ROUTES.createKey)
  async create({ body, principal }: Asked<typeof KEY_ROUTES.createKey>): Promise<Shown<'MadeKey'>> {
    const madeBy = principal.keyId === null ? undefined : personOf(principal);
    const { expires, flows, labels, modules, name, role } = body;
    const limits = {
      ...(flows !== undefined && { flows }),
      ...(labels !== undefined && { labels }),
      ...(modules !== undefined && { modules }),
      ...(expires !== undefined && { expires }),
    };
    const { record, text } = made({ name, role, ...limits, madeBy }, this.options.clock.now());
    await this.options.keys.put(record, null);
    return { key: text, ...presentKey(record) };
  }

  /** Keys, the oldest first. */
  @Handles(KEY_ROUTES.listKeys)
  async list({ query }: Asked<typeof KEY_ROUTES.listKeys>): Promise<Shown<'Keys'>> {
    const { cursor, limit } = query;
    // Sessions of browsers are kept beside the keys.
    const keys = (await allOf(this.options.keys, { index: 'age' })).filter(({ id }) =>
      KEY_ID.test(id),
    );
    const rest = cursor === undefined ? keys : keysAfter(keys, cursor);
    const items = rest.slice(0, limit);
    const last = items.at(-1);
    const nextCursor = last !== undefined && rest.length > limit ? cursorOf(last) : null;
    return { items: items.map(presentKey), page: { nextCursor } };
  }

  /** One key, without the key itself. */
  @Handles(KEY_ROUTES.getKey)
  async get({ path: { id } }: Asked<typeof KEY_ROUTES.getKey>): Promise<PublicKey> {
    const record = KEY_ID.test(id) ? await this.options.keys.get(id) : null;
    if (record === null) throw noSuchKey();
    return presentKey(record);
  }

  /** From now on nobody gets in with it. */
  @Handles(KEY_ROUTES.revokeKey)
  async revoke({ path: { id } }: Asked<typeof KEY_ROUTES.revokeKey>): Promise<void> {
    const { keyRing, keys } = this.options;
    const isRemoved = KEY_ID.test(id) && (await keys.remove(id, 'any'));
    if (!isRemoved) throw noSuchKey();
    keyRing.forget(id);
  }
}

/**
 * The keys behind a cursor. Where its key was revoked meanwhile, all that are as old: one may be
 * listed twice then, and none is left out.
 */
function keysAfter(keys: readonly KeyRecord[], cursor: string): readonly KeyRecord[] {
  const [createdAt = '', id = ''] = cursor.split('-');
  const at = keys.findIndex((key) => key.id === id);
  if (at !== -1) return keys.slice(at + 1);
  return keys.filter((key) => key.createdAt >= Number(createdAt));
}

function cursorOf({ createdAt, id }: Pick<KeyRecord, 'createdAt' | 'id'>): string {
  return `${createdAt}-${id}`;
}

function noSuchKey(): Problem {
  return new Problem('KEY_NOT_FOUND', 'There is no key of this id.');
}

function made(order: KeyOrder, now: number): MadeKey {
  try {
    return makeKey(order, newSecret(), now);
  } catch (error) {
    if (!(error instanceof WrongKeyOrder)) throw error;
    throw invalidRequest({ pointer: `/${error.member}`, message: error.message });
  }
}

function presentKey(record: KeyRecord): PublicKey {
  const { createdAt, expiresAt, flows, id, labels, madeBy, modules } = record;
  const { name, role, usedAt } = record;
  return {
    id,
    name,
    role,
    flows,
    labels,
    modules,
    createdAt: timeText(createdAt),
    madeBy: madeBy ?? null,
    expiresAt: expiresAt === null ? null : timeText(expiresAt),
    usedAt: usedAt === null ? null : timeText(usedAt),
  };
}
