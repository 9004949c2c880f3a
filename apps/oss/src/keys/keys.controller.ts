import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Req,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type KeyOrder, type MadeKey, makeKey, personOf, WrongKeyOrder } from '#access';
import { newSecret } from '#machine';
import { expectNoParameters, invalidRequest, principalOf, Problem } from '#http-server';
import { allOf, type KeyRecord } from '#ports';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { KEYS_QUERY } from './keys.query.js';
import { createKeyReader } from './create-key.request.js';

const KEY_ID = /^[0-9a-f]{16}$/;

/** A key as everybody may see it who may see keys; times in ISO 8601. */
interface PublicKey {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly flows: readonly string[] | null;
  readonly labels: Readonly<Record<string, string>> | null;
  readonly modules: readonly string[] | null;
  readonly createdAt: string;
  /** The maker of the key; null: it was made in the store itself. */
  readonly madeBy: string | null;
  readonly expiresAt: string | null;
  readonly usedAt: string | null;
}

/** Makes API keys, lists them and takes them back. */
@Controller('v1/keys')
export class KeysController {
  constructor(@Inject(OSS_OPTIONS) private readonly options: OssOptions) {}

  /** The only answer that ever has the key itself. */
  @Post()
  async create(
    @Body() body: unknown,
    @Query() query: unknown,
    @Req() request: FastifyRequest,
  ): Promise<PublicKey & { readonly key: string }> {
    expectNoParameters(query);
    const principal = principalOf(request);
    const madeBy = principal.keyId === null ? undefined : personOf(principal);
    const { expires, flows, labels, modules, name, role } = createKeyReader.read(body);
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
  @Get()
  async list(@Query() query: unknown): Promise<{
    readonly items: readonly PublicKey[];
    readonly page: { readonly nextCursor: string | null };
  }> {
    const { cursor, limit } = KEYS_QUERY.read(query);
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
  @Get(':id')
  async get(@Param('id') id: string, @Query() query: unknown): Promise<PublicKey> {
    expectNoParameters(query);
    const record = KEY_ID.test(id) ? await this.options.keys.get(id) : null;
    if (record === null) throw noSuchKey();
    return presentKey(record);
  }

  /** From now on nobody gets in with it. */
  @Delete(':id')
  @HttpCode(204)
  async revoke(@Param('id') id: string, @Query() query: unknown): Promise<void> {
    expectNoParameters(query);
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

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
