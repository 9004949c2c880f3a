import assert from 'node:assert/strict';
import { describe, expect, it, jest } from '@jest/globals';
import type { MessageProperties } from 'amqplib';
import * as fc from 'fast-check';
import type { Dispatch } from '#core';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../test/fuzz/budget.js';
import { anyStepMessage, BODY_LIMIT, strayMessages } from '../../../test/fuzz/stray-messages.js';
import { decodeBody, encodeBody, UnreadableBody } from './body.js';
import { EnvelopeWriter, readEnvelope } from './envelope.js';
import { parkedMessage } from './parking.js';
import { anyCharacter } from '../../../test/fuzz/hostile-values.js';

jest.setTimeout(FUZZ_TIMEOUT_MS);

const MODULE = 'mine';
const writer = new EnvelopeWriter('origin');

/** The value as JSON text keeps it: -0 is 0 there. */
function written<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** The message, or the error that the body is none; any other error is rethrown. */
function read(content: Buffer, properties: object): Dispatch | UnreadableBody {
  try {
    return readEnvelope({ content, properties: properties as MessageProperties });
  } catch (error) {
    if (error instanceof UnreadableBody) return error;
    throw error;
  }
}

describe('any step message', () => {
  it('names a trace: that of the request, or one of its task', () => {
    const uuid = fc.uuid({ version: 7 });
    fc.assert(
      fc.property(anyStepMessage(), uuid, uuid, (message, taskId, other) => {
        const traceOf = (id: string, traceparent: string | null = null): unknown => {
          const rest = { priority: 0, orderAt: 0, traceparent };
          const dispatch = { message: { ...message, taskId: id }, ...rest };
          return writer.write(dispatch, 0).properties.headers?.['traceparent'];
        };
        const own = String(traceOf(taskId));
        expect(own).toMatch(/^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-00$/);
        expect(traceOf(taskId)).toBe(own);
        const content = encodeBody({ ...message, taskId });
        const headers = { traceparent: own };
        expect(read(content, { headers })).toMatchObject({ traceparent: null });
        if (other !== taskId) expect(traceOf(other)).not.toBe(own);
        expect(traceOf(taskId, own.replace(/00$/, '01'))).toBe(own.replace(/00$/, '01'));
      }),
      fuzzBudget(200),
    );
  });

  it('brings the document along, as far as it is a text', () => {
    const message = fc.sample(anyStepMessage(), 1)[0]!;
    const rest = { priority: 0, orderAt: 0, traceparent: null };
    const { content, properties } = writer.write({ message, ...rest, snapshot: '{"a":1}' }, 0);
    expect(read(content, properties)).toMatchObject({ snapshot: '{"a":1}' });
    const headers = { ...properties.headers, 'x-backstep-snapshot': 7 };
    expect(read(content, { headers })).not.toHaveProperty('snapshot');
    const without = writer.write({ message, ...rest }, 0).properties.headers;
    expect(without).not.toHaveProperty('x-backstep-snapshot');
  });

  it('is read back as it was written', () => {
    fc.assert(
      fc.property(anyStepMessage(), (message) => {
        assert.deepEqual(decodeBody(encodeBody(message)), written(message));
      }),
      fuzzBudget(2_000),
    );
  });

  it('leaves its parameters at home exactly where they would make it too large', () => {
    const distance = fc.integer({ min: -3, max: 3 });
    fc.assert(
      fc.property(anyStepMessage(), distance, (message, distance) => {
        const bare = encodeBody({ ...message, parameters: { text: '' } }).length;
        const parameters = { text: 'x'.repeat(BODY_LIMIT + distance - bare) };
        const read = decodeBody(encodeBody({ ...message, parameters }));
        assert.deepEqual(read.parameters, distance > 0 ? {} : parameters);
      }),
      fuzzBudget(30),
    );
  });
});

describe('any message of a queue', () => {
  it('is read, or refused by its own error; what is read can be written and read again', () => {
    fc.assert(
      fc.property(strayMessages(MODULE), ({ becomes, content, properties, what }) => {
        const got = read(content, properties);
        const isOurs = !(got instanceof UnreadableBody) && got.message.module === MODULE;
        if (becomes !== 'either') expect(isOurs ? 'consumed' : 'parked').toBe(becomes);
        if (got instanceof UnreadableBody || what === 'nested deeply') return;
        expect(Number.isFinite(got.priority)).toBe(true);
        expect(got.traceparent ?? '00-').toMatch(/^[\da-f]{2}-/);
        assert.deepEqual(decodeBody(encodeBody(got.message)), written(got.message));
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      fuzzBudget(500),
    );
  });

  it('is parked whole, beside nothing that AMQP cannot write', () => {
    // A broken byte is read as a character of three: what fitted once may not fit again.
    const text = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 9 }),
      fc.constantFrom('\uFFFD'.repeat(85), '\uFFFD'.repeat(86), 'x'.repeat(255)),
    );
    const came = fc.record({
      contentType: text,
      type: text,
      messageId: text,
      headers: fc.dictionary(text, fc.oneof(text, fc.double())),
    });
    fc.assert(
      fc.property(came, (came) => {
        const content = Buffer.from('{');
        const properties = came as unknown as MessageProperties;
        const why = { queue: 'q', reason: 'because', digest: null, writer };
        const parked = parkedMessage({ content, properties }, why);
        expect(parked.content).toBe(content);
        const { contentType = '', correlationId = '', headers, type = '' } = parked.properties;
        const names = Object.keys(headers as object);
        for (const short of [contentType, correlationId, type, ...names]) {
          expect(Buffer.byteLength(short)).toBeLessThan(256);
        }
        for (const value of Object.values(headers as object)) {
          if (typeof value === 'number') expect(Number.isFinite(value)).toBe(true);
        }
      }),
      fuzzBudget(1_000),
    );
  });
});
