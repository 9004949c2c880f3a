import { describe, expect, it, jest } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { Problem } from '#http-server';
import { batchReader } from './batch.request.js';
import { CREATE_TASK_SCHEMA, createTaskReader } from './create-task.request.js';
import { LABELS_MAX, PRIORITY_MAX } from './limits.js';
import { REASON_SCHEMA, reasonReader, SKIP_SCHEMA, skipReader } from './operate.request.js';

// Hundreds of cases, also on a busy machine.
jest.setTimeout(240_000);

/** Text around every limit: control characters, variation selectors, characters of two units. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('', ' ', '\u0000', 'a\tb', '\uFE0F', '\u{1F600}', '$gt', 'a.b', 'constructor'),
  fc
    .constantFrom(100, 101, 200, 201, 255, 256, 500, 501, 1_000, 1_001)
    .chain((length) =>
      fc.constantFrom('x'.repeat(length), '\u{1F600}'.repeat(length), '\uFE0F'.repeat(length)),
    ),
);
const anything = fc.oneof(
  { weight: 3, arbitrary: text },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, -0, 1.5, PRIORITY_MAX, PRIORITY_MAX + 1, null) },
);
const labels = fc.oneof(
  fc.dictionary(text, anything, { maxKeys: 4 }),
  fc.dictionary(text, text, { maxKeys: 4 }),
  fc
    .integer({ min: LABELS_MAX - 1, max: LABELS_MAX + 1 })
    .map((count) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`l${n}`, 'v']))),
  anything,
);
const body = fc.oneof(
  fc.record(
    {
      flow: anything,
      parameters: fc.oneof(fc.object({ maxDepth: 2 }), anything),
      labels,
      priority: fc.oneof(fc.integer(), fc.integer({ min: -PRIORITY_MAX - 1, max: 9 }), anything),
      idempotencyKey: anything,
      reason: anything,
      step: anything,
    },
    { requiredKeys: [] },
  ),
  fc.record({ flow: text, parameters: fc.object({ maxDepth: 1 }), labels }),
  fc.record({ reason: text, step: text }, { requiredKeys: ['reason'] }),
  anything,
);

const ajv = new Ajv2020({ strict: false, ownProperties: true });

describe('the schema that accepts quickly', () => {
  it.each([
    ['a task', createTaskReader, CREATE_TASK_SCHEMA],
    ['a reason', reasonReader, REASON_SCHEMA],
    ['a skip', skipReader, SKIP_SCHEMA],
  ] as const)('accepts the same as the class of %s', (_name, reader, schema) => {
    const accepts = ajv.compile(schema);
    fc.assert(
      fc.property(body, (value) => {
        expect(accepts(value)).toBe(reader.faultsOf(value).length === 0);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a body of a request', () => {
  it('that is sound is given back as it is', () => {
    const request = { flow: 'f', parameters: { $gt: { 'a.b': '\u0000' } }, labels: { a: '' } };
    expect(createTaskReader.read(request)).toBe(request);
  });

  it.each<[unknown, [string, RegExp][]]>([
    [undefined, [['', /must be a JSON object/]]],
    [[], [['', /must be a JSON object/]]],
    [{}, [['/flow', /It is missing\.$/]]],
    [{ flow: 7 }, [['/flow', /name of a flow/]]],
    [{ flow: 'f', labls: {} }, [['/labls', /`labls` is not known/]]],
    [{ flow: 'f', constructor: 1 }, [['/constructor', /not known/]]],
    [{ flow: 'f', 'a/b~': 1 }, [['/a~1b~0', /not known/]]],
    [{ flow: 'f', parameters: [] }, [['/parameters', /must be an object/]]],
    [{ flow: 'f', parameters: null }, [['/parameters', /must be an object/]]],
    [
      { flow: 'f', labels: { a: 1, '\u0000': 'x' } },
      [
        ['/labels/a', /text/],
        ['/labels/\u0000', /name/],
      ],
    ],
    [
      { flow: 'f', priority: 1.5, idempotencyKey: '' },
      [
        ['/priority', /whole/],
        ['/idempotencyKey', /1 to 255/],
      ],
    ],
  ])('%j is refused with every mistake', (value, expected) => {
    expect.assertions(1);
    try {
      createTaskReader.read(value);
    } catch (error) {
      expect((error as Problem).errors).toEqual(
        expected.map(([pointer, message]) =>
          expect.objectContaining({ pointer, message: expect.stringMatching(message) }),
        ),
      );
    }
  });

  it('of a batch may hold anything in its list', () => {
    expect(batchReader.read({ tasks: [1, null] })).toEqual({ tasks: [1, null] });
    expect(() => batchReader.read({ tasks: {} })).toThrow(Problem);
  });
});
