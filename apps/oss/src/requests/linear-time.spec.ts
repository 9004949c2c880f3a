import { describe, it } from '@jest/globals';
import { canonicalJson } from '#core/json';
import type { FastifyRequest } from 'fastify';
import { expectLinear } from '../../../../test/linear/linear-time.js';
import { createKeyReader } from '../keys/create-key.request.js';
import { planDraftReader, planFlowReader } from '../flows/plan-flow.request.js';
import { readChannel } from '../notifications/channel.request.js';
import { readNotificationRequest, redeliverReader } from '../notifications/notification.request.js';
import { knowsTag } from '#http-server';
import { cancelReader, decideReader } from '../operations/decide.request.js';
import { readOperation } from '../operations/operation.request.js';
import { orderOf, readScheduleRequest, triggerReader } from '../schedules/schedule.request.js';
import { batchReader } from './batch.request.js';
import { completeReader } from './complete.request.js';
import { createTaskReader } from './create-task.request.js';
import { claimedActor, expectedRevisions, idempotencyKeyOf, traceparentOf } from './headers.js';
import { lastEventIdOf } from './events.query.js';
import { LIST_QUERY } from './list-tasks.query.js';
import {
  judgeReader,
  reasonReader,
  resetReader,
  restartReader,
  rollbackReader,
  signalReader,
  skipReader,
} from './operate.request.js';
import { putBackReader } from './put-back.request.js';
import { readTaskSearch } from './task-search.js';
import { WAIT_QUERY } from '../tasks/tasks.routes.js';

/** Node takes about 16 KiB of headers, and an address is one of them. */
const HEADER_SIZE = 16_000;
const BODY_SIZE = 120_000;

const PARTS = [
  'a',
  '1',
  '0',
  ' ',
  '"',
  '\\',
  '\\"',
  ',',
  '"1",',
  '"1" ',
  '"1" , ',
  'W/"1"',
  '\u00c3',
];

const HEADERS: Readonly<Record<string, (headers: Record<string, string>) => unknown>> = {
  'if-match': expectedRevisions,
  'if-none-match': (headers) => knowsTag({ headers }, '"1"'),
  'idempotency-key': (headers) => idempotencyKeyOf(headers),
  'x-backstep-actor': claimedActor,
  traceparent: traceparentOf,
  'last-event-id': (headers) => lastEventIdOf({ headers } as FastifyRequest, undefined, 'a number'),
};

const readList = (raw: unknown): unknown => LIST_QUERY.read(raw);

const PARAMETERS = [
  'flow',
  'status',
  'createdAfter',
  'createdBefore',
  'limit',
  'cursor',
  'label.a',
];

/** Terms of a search, which are repeated. */
const TERMS: Readonly<Record<string, string>> = {
  letters: 'a',
  blanks: ' ',
  'quotation marks': '"',
  'quotation marks between blanks': ' "',
  'quotation marks within words': '"a',
  'escaped quotation marks': '\\"',
  'words that open and do not close': '"\\" ',
  'keys without a value': 'a: ',
  'keys of keys': 'label.a:',
  'keys with an open quotation mark': 'k:"\\ ',
  'patterns of flows': 'flow:a*,',
  statuses: 'failed,',
  ages: 'age:>1h ',
};

/** Texts around the terms. */
const ENDS = [
  ['', ''],
  ['"', ''],
  ['flow:', '!'],
  ['status:', '"'],
  ['age:>1', 'h'],
] as const;

type Filling = (size: number) => object | string;

/** Values of members, as texts and as lists and objects of many. */
const VALUES = {
  text: (size) => 'a'.repeat(size),
  blanks: (size) => `${' '.repeat(size)}\u0001`,
  digits: (size) => `${'1'.repeat(size)}x`,
  stars: (size) => `${'*a'.repeat(size / 2)}!`,
  commas: (size) => 'a,'.repeat(size / 2),
  address: (size) => `http://${'a@'.repeat(size / 2)}`,
  fields: (size) => '*/1 '.repeat(size / 4),
  list: (size) => JSON.parse(`[${'"a",'.repeat(size / 4)}"a"]`) as object,
  mixed: (size) => JSON.parse(`[${'"failed",1,{},'.repeat(size / 14)}1]`) as object,
  // The engine keeps an object as it came to be: here as in a request.
  members: (size) => JSON.parse(`{${membersOf(size / 8)}}`) as object,
} satisfies Record<string, Filling>;

function membersOf(count: number): string {
  return Array.from({ length: count }, (_, n) => `"n${n}":"a"`).join(',');
}

/** Enough of each body to have the one member read that is too much. */
const GOOD = {
  flow: 'f',
  action: 'retry',
  q: 'status:failed',
  reason: 'r',
  on: ['failed'],
  channel: { type: 'slack', url: 'https://a.test' },
  name: 'n',
  role: 'viewer',
};

interface Edge {
  /** Members whose values are made large. */
  readonly members: readonly string[];
  readonly read: (body: object) => unknown;
}

const reading = (members: readonly string[], reader: { read(body: unknown): unknown }): Edge => {
  return { members, read: (body) => reader.read(body) };
};

const READERS: Readonly<Record<string, Edge>> = {
  'a schedule': {
    members: ['flow', 'parameters', 'labels', 'cron', 'every', 'at', 'timezone', 'overlap'],
    read: (body) => orderOf(readScheduleRequest(body)),
  },
  'a trigger': reading(['reason'], triggerReader),
  'a notification': { members: ['on', 'q', 'channel', 'throttle'], read: readNotificationRequest },
  'a redelivery': reading(['deliveryId'], redeliverReader),
  'a webhook': {
    members: ['url', 'secret'],
    read: (body) => readChannel({ ...body, type: 'webhook' }),
  },
  'a mail': {
    members: ['server', 'from', 'to'],
    read: (body) => readChannel({ ...body, type: 'email' }),
  },
  'an operation': {
    members: ['action', 'q', 'to', 'step', 'output', 'parameters', 'reason'],
    read: (body) => readOperation(body, BODY_SIZE),
  },
  'a decision on one': reading(['comment'], decideReader),
  'the end of one': reading(['reason'], cancelReader),
  'a completion': reading(['token', 'output', 'error'], completeReader),
  'what is put back': reading(['lines'], putBackReader),
  'a key': reading(['name', 'role', 'flows', 'labels', 'modules', 'expires'], createKeyReader),
  'the plan of a flow': reading(['parameters'], planFlowReader),
  'the plan of a draft': reading(['flow', 'parameters'], planDraftReader),
  'a signal': reading(['name', 'payload', 'reason'], signalReader),
  'a judgement': reading(['step', 'comment', 'reason'], judgeReader),
  'a rollback': reading(['to', 'reason'], rollbackReader),
  'a reset': reading(['step', 'parameters', 'reason'], resetReader),
  'a restart': reading(['parameters', 'reason'], restartReader),
};

describe('what is read of a request takes time in proportion to it', () => {
  it.each(Object.entries(HEADERS))('its %s', (name, read) => {
    for (const part of PARTS) {
      for (const end of ['', '\u0001', '"']) {
        const make = (size: number) => ({ [name]: `"1"${part.repeat(size / part.length)}${end}` });
        expectLinear({ make, read, size: HEADER_SIZE });
      }
    }
  });

  it.each(PARAMETERS)('its parameter %s', (name) => {
    for (const part of [...PARTS, '2026-01-31T', 'running,', ':', '1:']) {
      const make = (size: number): object => ({
        [name]: `2026-01-31T${part.repeat(size / part.length)}\u0001`,
      });
      expectLinear({ make, read: readList, size: HEADER_SIZE });
    }
  });

  it('its parameter wait', () => {
    for (const part of ['1', '1.', 'm']) {
      const make = (size: number): object => ({ wait: `1${part.repeat(size / part.length)}` });
      expectLinear({ make, read: (raw) => WAIT_QUERY.read(raw), size: HEADER_SIZE });
    }
  });

  it.each<readonly [string, (many: Record<string, unknown>, text: string) => unknown]>([
    ['unknown members', (many) => ({ flow: 'f', ...many })],
    ['parameters', (many) => ({ flow: 'f', parameters: many })],
    ['labels', (many) => ({ flow: 'f', labels: many })],
    ['a flow', (_many, text) => ({ flow: text })],
    ['a label', (_many, text) => ({ flow: 'f', labels: { [text]: text } })],
    ['a key', (_many, text) => ({ flow: 'f', idempotencyKey: text })],
    ['a reason', (_many, text) => ({ reason: text })],
    ['a reason of spaces', (_many, text) => ({ reason: ' '.repeat(text.length) })],
    ['a step', (_many, text) => ({ reason: 'r', step: text })],
    ['tasks', (many) => ({ tasks: Object.values(many) })],
  ])('a body with %s', (_what, bodyOf) => {
    const make = (size: number): unknown => {
      const names = Array.from({ length: size / 10 }, (_, i): [string, number] => [`n${i}`, i]);
      // The engine keeps an object as it came to be: here as in a request.
      const many = JSON.parse(JSON.stringify(Object.fromEntries(names))) as Record<string, unknown>;
      return bodyOf(many, `a\u0001 ${'b '.repeat(size / 2)}\u0001`);
    };
    for (const reader of [createTaskReader, batchReader, reasonReader, skipReader]) {
      expectLinear({ make, read: (body) => reader.read(body), size: BODY_SIZE });
    }
    expectLinear({ make, read: canonicalJson, size: BODY_SIZE });
  });

  it.each(Object.entries(TERMS))('a search of %s', (_what, part) => {
    for (const [start, end] of ENDS) {
      const make = (size: number): string => `${start}${part.repeat(size / part.length)}${end}`;
      expectLinear({ make, read: readTaskSearch, size: HEADER_SIZE });
      const query = (size: number): object => ({ q: make(size) });
      expectLinear({ make: query, read: readList, size: HEADER_SIZE });
    }
  });

  it.each(Object.entries(READERS))('the body for %s', (_what, { members, read }) => {
    for (const member of members) {
      for (const make of Object.values(VALUES)) {
        const bodyOf = (size: number): object => ({ ...GOOD, [member]: make(size) });
        expectLinear({ make: bodyOf, read, size: BODY_SIZE });
      }
    }
    const unknown = (size: number): object => VALUES['members'](size);
    expectLinear({ make: unknown, read, size: BODY_SIZE });
  });
});
