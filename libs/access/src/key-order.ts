import { type KeyRecord, type Role, ROLES } from '#ports';
import { parsePositiveDuration } from '#wording';
import { type ApiKey, hashOf, keyText } from './key-ring.js';
import { isActorName, isTakenName } from './actor-name.js';
import { NAME_PATTERN } from './pattern.js';

/** A key that a person wants, as it is written; lists may be texts with commas. */
export interface KeyOrder {
  readonly name: string;
  readonly role: string;
  readonly flows?: string | readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly modules?: string | readonly string[];
  /** How long it is taken: `90d`, `12h`; absent: for ever. */
  readonly expires?: string;
  /** The person who makes it; absent: nobody was asked who it is. */
  readonly madeBy?: string | undefined;
}

/** A mistake in an order; `member` names where. */
export class WrongKeyOrder extends Error {
  override readonly name = 'WrongKeyOrder';

  constructor(
    readonly member: keyof KeyOrder,
    message: string,
  ) {
    super(message);
  }
}

/** A key that was made: what is stored, and the text that is shown once. */
export interface MadeKey {
  readonly record: KeyRecord;
  readonly text: string;
}

/** Most patterns of one limit of a key. */
export const LIST_MAX = 50;

/** Makes a key of an order and a secret that nobody knows yet. Throws `WrongKeyOrder`. */
export function makeKey(order: KeyOrder, key: ApiKey, now: number): MadeKey {
  const { expires, madeBy, name } = order;
  if (!isActorName(name)) {
    const message = '`name` has 1 to 100 letters, digits and ._@-, the first no sign.';
    throw new WrongKeyOrder('name', message);
  }
  if (isTakenName(name)) {
    throw new WrongKeyOrder('name', `\`${name}\` may be taken for a part of Backstep.`);
  }
  const record: KeyRecord = {
    id: key.id,
    hash: hashOf(key.secret),
    name,
    role: roleOf(order),
    flows: patternsOf('flows', order.flows),
    labels: labelsOf(order),
    modules: patternsOf('modules', order.modules),
    createdAt: now,
    expiresAt: expires === undefined ? null : now + lifetimeOf(expires),
    ...(madeBy !== undefined && { madeBy }),
    usedAt: null,
  };
  return { record, text: keyText(key) };
}

function roleOf({ role }: KeyOrder): Role {
  const found = ROLES.find((known) => known === role);
  if (found !== undefined) return found;
  throw new WrongKeyOrder('role', `\`role\` is one of ${ROLES.join(', ')}.`);
}

/** Limits that leave out nothing are a slip: all three of them are refused alike. */
function labelsOf({ labels }: KeyOrder): KeyRecord['labels'] {
  if (labels === undefined) return null;
  if (Object.keys(labels).length > 0) return { ...labels };
  throw new WrongKeyOrder('labels', '`labels` has one label or more.');
}

function patternsOf(
  member: 'flows' | 'modules',
  written: string | readonly string[] | undefined,
): readonly string[] | null {
  if (written === undefined) return null;
  const parts = typeof written === 'string' ? written.split(',') : written;
  const patterns = parts.map((part) => part.trim());
  const fits = new RegExp(NAME_PATTERN);
  if (patterns.length > 0 && patterns.length <= LIST_MAX && patterns.every((p) => fits.test(p))) {
    return patterns;
  }
  const message = `\`${member}\` is 1 to ${LIST_MAX} names, in which * stands for any text.`;
  throw new WrongKeyOrder(member, message);
}

function lifetimeOf(text: string): number {
  try {
    return parsePositiveDuration(text);
  } catch (error) {
    const fault = (error as Error).message;
    throw new WrongKeyOrder('expires', `\`expires\` is a time like 90d or 12h: it is ${fault}.`);
  }
}
