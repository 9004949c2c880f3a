import { describe, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { expectLinear } from '../../../../test/linear/linear-time.js';
import { canonicalJson } from '../tasks/request-hash.js';
import { batchReader } from './batch.request.js';
import { createTaskReader } from './create-task.request.js';
import {
  claimedActor,
  expectedRevisions,
  idempotencyKeyOf,
  knowsTag,
  traceparentOf,
} from './headers.js';
import { readLastEventId } from './last-event-id.js';
import { readListRequest } from './list-tasks.query.js';
import { reasonReader, skipReader } from './operate.request.js';
import { readWait } from './wait.query.js';

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
  'if-none-match': (headers) => knowsTag(headers, '"1"'),
  'idempotency-key': (headers) => idempotencyKeyOf(headers),
  'x-backstep-actor': claimedActor,
  traceparent: traceparentOf,
  'last-event-id': (headers) =>
    readLastEventId({ query: {}, headers } as unknown as FastifyRequest),
};

const PARAMETERS = [
  'flow',
  'status',
  'createdAfter',
  'createdBefore',
  'limit',
  'cursor',
  'label.a',
];

describe('what is read of a request takes time in proportion to it', () => {
  it.each(Object.entries(HEADERS))('its %s', (name, read) => {
    for (const part of PARTS) {
      for (const end of ['', '\u0001', '"']) {
        const make = (size: number) => ({
          [name]: `"1"${part.repeat(size / part.length)}${end}`,
        });
        expectLinear({ make, read, size: HEADER_SIZE });
      }
    }
  });

  it.each(PARAMETERS)('its parameter %s', (name) => {
    for (const part of [...PARTS, '2026-01-31T', 'running,', ':', '1:']) {
      const make = (size: number): object => ({
        [name]: `2026-01-31T${part.repeat(size / part.length)}\u0001`,
      });
      expectLinear({ make, read: readListRequest, size: HEADER_SIZE });
    }
  });

  it('its parameter wait', () => {
    for (const part of ['1', '1.', 'm']) {
      const make = (size: number): object => ({ wait: `1${part.repeat(size / part.length)}` });
      expectLinear({ make, read: readWait, size: HEADER_SIZE });
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
});
