import { type InputFault, Problem } from '#http-server';
import { NOTIFICATION_KINDS, type NotificationKind, type NotificationOrder } from '#ports';
import { DURATION_PATTERN, readDuration } from '#wording';
import {
  Described,
  Fits,
  IsJsonObject,
  IsText,
  IsTextOrNumber,
  MayBeAbsent,
} from '../requests/decorators.js';
import { lineForm } from '../requests/limits.js';
import { RequestReader } from '../requests/request-reader.js';
import {
  needsStore,
  readTaskSearch,
  SEARCH_LENGTH_MAX,
  STORE_ONLY,
} from '../requests/task-search.js';
import { CHANNEL_SCHEMAS, readChannel } from './channel.request.js';

const ON = `\`on\` lists what is told, of ${NOTIFICATION_KINDS.join(', ')}, each once.`;
const Q = '`q` is a search text as in lists: at most 2,000 characters.';

/** Longest quiet time: a week. */
const THROTTLE_MAX_MS = 604_800_000;

const SEARCH = lineForm(0, SEARCH_LENGTH_MAX);
const ID = lineForm(1, 300);
const WHICH = '`deliveryId` is the id of a message, as the list of deliveries shows it.';

/** Body of `:redeliver`. */
class RedeliverRequest {
  @Described(WHICH)
  @IsText(ID, WHICH)
  deliveryId!: string;
}

/** Reads the body of `:redeliver`. */
export const redeliverReader = new RequestReader(RedeliverRequest);

/** In time that does not grow with a list that is too long. */
function IsKinds(): PropertyDecorator {
  const schema = {
    type: 'array',
    items: { enum: [...NOTIFICATION_KINDS] },
    minItems: 1,
    maxItems: NOTIFICATION_KINDS.length,
    uniqueItems: true,
  };
  return Fits({ name: 'isKinds', schema, validate: areKinds, message: ON });
}

function areKinds(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || value.length > NOTIFICATION_KINDS.length)
    return false;
  return (
    value.every((kind) => NOTIFICATION_KINDS.includes(kind)) && new Set(value).size === value.length
  );
}

/** Body of `PUT /v1/notifications/{name}`. */
class NotificationRequest {
  @Described('Kinds of events that it reports.')
  @IsKinds()
  on!: readonly NotificationKind[];

  @Described('A search for its tasks. Default: all.')
  @MayBeAbsent()
  @IsText(SEARCH, Q)
  q?: string;

  @Described(undefined, { oneOf: CHANNEL_SCHEMAS })
  @IsJsonObject('`channel` must be an object with a `type`.')
  channel!: Readonly<Record<string, unknown>>;

  @Described('At most one message in this time, such as 10m. Default: no limit.', {
    pattern: DURATION_PATTERN,
  })
  @MayBeAbsent()
  @IsTextOrNumber('`throttle` is a duration such as 10m, or a number of seconds.')
  throttle?: string | number;
}

/** Reads that body by itself; `readNotificationRequest` does all of it. */
export const notificationReader = new RequestReader(NotificationRequest);

/** The `Problem` of a request whose notification has these mistakes. */
export function wrongNotification(...errors: readonly InputFault[]): Problem {
  const [first] = errors;
  return new Problem('INVALID_NOTIFICATION', first?.message ?? 'The notification is invalid.', {
    errors,
  });
}

/** Reads the body of `PUT /v1/notifications/{name}`; the channel in clear. Throws a `Problem`. */
export function readNotificationRequest(body: unknown): NotificationOrder {
  const { channel, on, q, throttle } = notificationReader.read(body);
  const throttleMs = throttle === undefined ? 0 : throttleOf(throttle);
  if (q !== undefined) expectSearch(q);
  const read = readChannel(channel);
  if ('faults' in read) throw wrongNotification(...read.faults);
  return { on: [...on], q: q ?? null, channel: read.channel, throttleMs };
}

function throttleOf(throttle: string | number): number {
  const ms = typeof throttle === 'number' ? throttle * 1_000 : (readDuration(throttle) ?? -1);
  if (ms >= 0 && ms <= THROTTLE_MAX_MS) return Math.round(ms);
  const message = '`throttle` is a duration of at most a week, such as 10m.';
  throw wrongNotification({ pointer: '/throttle', code: 'WRONG_DURATION', message });
}

function expectSearch(q: string): void {
  const search = readTaskSearch(q);
  if ('flows' in search) {
    if (!needsStore(search)) return;
    const message = `Notifications go by summaries of tasks, and ${STORE_ONLY}`;
    throw wrongNotification({ pointer: '/q', code: 'WRONG_SEARCH', message });
  }
  const faults = search.map(({ hint, message, position }) => {
    const told = `At character ${position}: ${message}`;
    return { pointer: '/q', code: 'WRONG_SEARCH', message: told, hint };
  });
  throw wrongNotification(...faults);
}
