import type { InputFault } from '#http-server';
import { webUrl } from '#outbound';
import type { NotificationChannel } from '#ports';

/** Longest text of a member, in characters. */
const TEXT_MAX = 2_000;

/** Most people that one message goes to. */
const TO_MAX = 50;

/** Smallest secret that signs, in characters. */
const SECRET_MIN = 24;

const TEXT = { type: 'string', minLength: 1, maxLength: TEXT_MAX };

const TYPES = ['webhook', 'slack', 'pagerduty', 'email'] as const;

/** Members of each type; those with a question mark may be absent. */
const MEMBERS: Readonly<Record<NotificationChannel['type'], readonly string[]>> = {
  webhook: ['url', 'secret?'],
  slack: ['url'],
  pagerduty: ['routingKey', 'url?'],
  email: ['server', 'from', 'to'],
};

const ADDRESS = /^[^\s@<>",;:\p{Cc}]{1,64}@[^\s@<>",;:\p{Cc}]{1,200}$/u;

/** Each member as a JSON Schema. */
const MEMBER_SCHEMAS = {
  url: { ...TEXT, description: 'Address that messages are sent to, as https: or http:.' },
  secret: {
    ...TEXT,
    description: `The key that signs messages, by Standard Webhooks: ${SECRET_MIN} characters or more.`,
  },
  routingKey: { ...TEXT, description: 'The integration key.' },
  server: { ...TEXT, description: 'The server, as smtp://user:password@host:587 or smtps:.' },
  from: { ...TEXT, description: 'The address of the sender.' },
  to: {
    type: 'array',
    items: TEXT,
    minItems: 1,
    maxItems: TO_MAX,
    description: 'Addresses of the receivers.',
  },
};

/** A channel of each type as a JSON Schema. */
export const CHANNEL_SCHEMAS = TYPES.map((type) => {
  const names = MEMBERS[type].map(
    (member) => member.replace('?', '') as keyof typeof MEMBER_SCHEMAS,
  );
  const required = MEMBERS[type].filter((member) => !member.endsWith('?'));
  return {
    type: 'object',
    required: ['type', ...required],
    additionalProperties: false,
    properties: {
      type: { const: type },
      ...Object.fromEntries(names.map((name) => [name, MEMBER_SCHEMAS[name]])),
    },
  } as const;
});

/** A channel, or what is wrong with it. */
type ReadChannel =
  | { readonly channel: NotificationChannel }
  | { readonly faults: readonly InputFault[] };

/** Reads a channel that is an object. */
export function readChannel(written: Readonly<Record<string, unknown>>): ReadChannel {
  const type = TYPES.find((one) => one === written['type']);
  if (type === undefined) {
    const message = `\`type\` is one of ${TYPES.join(', ')}.`;
    return { faults: [fault('type', message)] };
  }
  const known = MEMBERS[type].map((member) => member.replace('?', ''));
  const faults = Object.keys(written)
    .filter((name) => name !== 'type' && !known.includes(name))
    .map((name) => fault(name.slice(0, 60), `A channel of type ${type} does not have this.`));
  for (const member of MEMBERS[type]) {
    const name = member.replace('?', '');
    const isOptional = member.endsWith('?');
    const value = written[name];
    if (value === undefined && isOptional) continue;
    const message = value === undefined ? `\`${name}\` is missing.` : JUDGES[name]?.(value);
    if (message !== undefined) faults.push(fault(name, message));
  }
  return faults.length > 0 ? { faults } : { channel: { ...written, type } as NotificationChannel };
}

function fault(member: string, message: string): InputFault {
  const pointer = `/channel/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return { pointer, code: 'WRONG_CHANNEL', message };
}

/** Checks of members, by name. Each gives the mistake as text; undefined: there is none. */
const JUDGES: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  url: judgeUrl,
  secret: (value) => {
    if (isText(value) && value.length >= SECRET_MIN) return undefined;
    if (value === MASK) return undefined;
    return `\`secret\` is text of ${SECRET_MIN} characters or more.`;
  },
  routingKey: (value) => (isText(value) ? undefined : '`routingKey` is the integration key.'),
  server: judgeServer,
  from: (value) => (isAddress(value) ? undefined : '`from` is the address of a sender.'),
  to: (value) => {
    const isList = Array.isArray(value) && value.length > 0 && value.length <= TO_MAX;
    return isList && value.every(isAddress) ? undefined : `\`to\` lists 1 to ${TO_MAX} addresses.`;
  },
};

/** Stands for a secret in answers; sent back, it leaves what is stored. */
export const MASK = '***';

function judgeUrl(value: unknown): string | undefined {
  const message = '`url` begins with https:// or http://, and has no user in it.';
  if (!isText(value)) return message;
  try {
    webUrl(value);
    return undefined;
  } catch {
    return message;
  }
}

function judgeServer(value: unknown): string | undefined {
  const message =
    '`server` is smtp://user:password@host:587, or smtps://...; the user is optional.';
  if (!isText(value) || !URL.canParse(value)) return message;
  const { hostname, protocol } = new URL(value);
  return /^smtps?:$/.test(protocol) && hostname !== '' ? undefined : message;
}

function isAddress(value: unknown): boolean {
  return typeof value === 'string' && ADDRESS.test(value);
}

function isText(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > TEXT_MAX) return false;
  return !/\p{Cc}/u.test(value);
}
