import { describe, expect, it, jest } from '@jest/globals';
import { IsInt, Length, ValidateBy, ValidateIf } from 'class-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { Problem } from '#http-server';
import { createKeyReader } from '../keys/create-key.request.js';
import { planDraftReader, planFlowReader } from '../flows/plan-flow.request.js';
import { recordDrillReader } from '../flows/record-drill.request.js';
import { notificationReader, redeliverReader } from '../notifications/notification.request.js';
import { cancelReader, decideReader } from '../operations/decide.request.js';
import { scheduleReader, triggerReader } from '../schedules/schedule.request.js';
import { batchReader } from './batch.request.js';
import { type BodySchema, schemaOfBody } from './body-schema.js';
import { completeReader } from './complete.request.js';
import { createTaskReader } from './create-task.request.js';
import { LABELS_MAX, PRIORITY_MAX } from './limits.js';
import {
  judgeReader,
  reasonReader,
  resetReader,
  restartReader,
  retryReader,
  rollbackReader,
  signalReader,
  skipReader,
} from './operate.request.js';
import { putBackReader } from './put-back.request.js';
import type { RequestReader } from './request-reader.js';
import { fuzzBudget } from '../../../../test/fuzz/budget.js';
import { anyCharacter } from '../../../../test/fuzz/hostile-values.js';

// Hundreds of cases, also on a busy machine.
jest.setTimeout(240_000);

/** Text around every limit: control characters, variation selectors, characters of two units. */
const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 8 }),
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
const labels = fc
  .integer({ min: LABELS_MAX - 1, max: LABELS_MAX + 1 })
  .map((count) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`l${n}`, 'v'])));

interface Part {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Part[];
  readonly items?: Part;
  readonly maxProperties?: number;
  readonly const?: unknown;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Part>>;
  readonly additionalProperties?: Part;
}

const times = fc.constantFrom(15, '15m', '2090-01-31', 0.5);

/** Text of a pattern and other text: of any text alone, too little fits to judge by it. */
function around(pattern: string): fc.Arbitrary<string> {
  return fc.oneof(fc.stringMatching(new RegExp(pattern)), text);
}

/** Values that a schema may take, whether or not they fit all that it says. */
function near(part: Part): fc.Arbitrary<unknown> {
  if (part.const !== undefined) return fc.constant(part.const);
  if (part.enum !== undefined) return fc.constantFrom(...part.enum);
  if (part.oneOf !== undefined) return fc.oneof(...part.oneOf.map(near));
  if (part.properties !== undefined) return nearBody(part as unknown as BodySchema);
  if (Array.isArray(part.type)) return fc.oneof(times, fc.array(anything, { maxLength: 2 }));
  const { type } = part;
  if (type === 'array') return fc.array(near(part.items ?? {}), { maxLength: 4 });
  if (type === 'boolean') return fc.boolean();
  if (type === 'string') return part.pattern === undefined ? text : around(part.pattern);
  if (type === 'integer') return fc.oneof(fc.integer(), fc.constantFrom(0, 1, PRIORITY_MAX + 1));
  if (type !== 'object') return anything;
  const each = part.additionalProperties === undefined ? anything : near(part.additionalProperties);
  const named = fc.dictionary(text, each, { maxKeys: 4 });
  return part.maxProperties === undefined ? named : fc.oneof(named, labels);
}

function nearObject(properties: Readonly<Record<string, Part>>): fc.Arbitrary<unknown> {
  const parts = Object.entries(properties).map(([name, part]) => [name, near(part)] as const);
  return fc.record(Object.fromEntries(parts), { requiredKeys: [], noNullPrototype: true });
}

/** All that a schema asks for and a few members more: of many members, one is mostly unsound. */
function few({ properties, required = [] }: BodySchema): fc.Arbitrary<unknown> {
  const others = Object.keys(properties).filter((name) => !required.includes(name));
  const added = fc.subarray(others, { maxLength: Math.min(2, others.length) });
  return added.chain((names) => {
    const parts = [...required, ...names].map((name) => [name, near(properties[name]!)] as const);
    return fc.record(Object.fromEntries(parts), { noNullPrototype: true });
  });
}

function nearBody(schema: BodySchema): fc.Arbitrary<unknown> {
  return fc.oneof(few(schema), nearObject(schema.properties));
}

/** Bodies around those of a schema, some with a member that is something else, or unknown. */
function bodies(schema: BodySchema): fc.Arbitrary<unknown> {
  const { properties } = schema;
  const sound = nearBody(schema);
  const spoilt = fc
    .tuple(sound, fc.constantFrom(...Object.keys(properties), 'other'), anything)
    .map(([body, name, value]) => ({ ...(body as object), [name]: value }));
  return fc.oneof({ weight: 6, arbitrary: sound }, { weight: 3, arbitrary: spoilt }, anything);
}

const ajv = new Ajv2020({ strict: false, ownProperties: true });

/** How the schema and the class of a reader judge bodies, and how often each says yes and no. */
function judgements(
  reader: RequestReader<object>,
  check: (bySchema: boolean, byClass: boolean) => void,
) {
  const accepts = ajv.compile(reader.schema);
  let [taken, refused] = [0, 0];
  const property = fc.property(bodies(reader.schema), (body) => {
    const bySchema = accepts(body);
    check(bySchema, reader.faultsOf(body).length === 0);
    taken += Number(bySchema);
    refused += Number(!bySchema);
  });
  fc.assert(property, fuzzBudget(1_000));
  expect(Math.min(taken, refused)).toBeGreaterThan(5);
}

describe('the schema that accepts quickly', () => {
  it.each([
    ['a task', createTaskReader],
    ['a batch', batchReader],
    ['a reason', reasonReader],
    ['a rollback', rollbackReader],
    ['a retry', retryReader],
    ['a restart', restartReader],
    ['a skip', skipReader],
    ['a reset', resetReader],
    ['a signal', signalReader],
    ['an answer to a question', judgeReader],
    ['a completion', completeReader],
    ['lines of an archive', putBackReader],
    ['a drill', recordDrillReader],
    ['a plan', planFlowReader],
    ['a plan of a draft', planDraftReader],
    ['a trigger', triggerReader],
    ['a cancellation', cancelReader],
    ['a decision', decideReader],
    ['a redelivery', redeliverReader],
  ] as const)('accepts the same as the class of %s', (_name, reader) => {
    judgements(reader, (bySchema, byClass) => expect(bySchema).toBe(byClass));
  });

  it.each([
    ['a schedule', scheduleReader],
    ['a notification', notificationReader],
    ['a key', createKeyReader],
  ] as const)('accepts nothing that the class of %s refuses', (_name, reader) => {
    judgements(reader, (bySchema, byClass) => expect(byClass || !bySchema).toBe(true));
  });
});

describe('the schema of a class', () => {
  class Loose {
    @Length(1, 3)
    name!: string;
  }
  class Conditional {
    @ValidateIf(() => true)
    @IsInt()
    now!: number;
  }
  class Silent {
    @ValidateBy({ name: 'isOdd', validator: { validate: () => true } })
    odd!: number;
  }

  it.each([
    ['isLength of name', Loose],
    ['conditionalValidation of now', Conditional],
    ['isOdd of odd', Silent],
  ])('is refused where it would say something else: %s', (rule, type) => {
    expect(() => schemaOfBody(type)).toThrow(`no JSON Schema says the same as ${rule}`);
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
