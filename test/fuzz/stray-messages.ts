import type { Options } from 'amqplib';
import * as fc from 'fast-check';
import type { PublicRetry, StepMessage } from '#core';
import { anyText, edgeNumber, hostileObject, wellFormedText } from './hostile-values.js';

/** A message that a stranger put into a module's queue. */
export interface StrayMessage {
  readonly what: string;
  readonly content: Buffer;
  readonly properties: Options.Publish;
  /** How it must end; `either` where that depends on which byte it was. */
  readonly becomes: 'consumed' | 'either' | 'parked';
}

type Body = Pick<StrayMessage, 'becomes' | 'content' | 'what'>;

/** The largest body that is read, as docs and contract have it. */
export const BODY_LIMIT = 1_048_576;

const name = anyText.filter((text) => text !== '');
const count = (min: number) => fc.oneof(fc.constant(min), fc.integer({ min, max: 2 ** 53 - 1 }));
const seconds = edgeNumber.map(Math.abs);
const runId = fc
  .tuple(anyText, fc.nat({ max: 3 }))
  .map(([text, more]) => `${text.replaceAll(/[~#/]/g, '') || 'a'}${more > 1 ? `~${more}` : ''}`);
const codes = fc.option(fc.array(anyText, { maxLength: 3 }), { nil: undefined });
const retry: fc.Arbitrary<PublicRetry> = fc.oneof(
  count(0),
  fc.record({
    attempts: count(1),
    backoff: fc.constantFrom('none', 'fixed', 'exponential'),
    delay: seconds,
    maxDelay: fc.option(seconds),
    jitter: fc.boolean(),
    ...{ only: codes, never: codes },
  }),
);

/** Every step message there could be, for a module's queue or for any. */
export function anyStepMessage(module?: string): fc.Arbitrary<StepMessage> {
  return fc.record(
    {
      v: fc.constant(1),
      taskId: name,
      cursor: count(0),
      type: fc.constantFrom(0, 1),
      parameters: hostileObject({ text: anyText }),
      module: module === undefined ? name : fc.constant(module),
      command: name,
      timeout: seconds,
      retry,
      step: name,
      run: runId,
      attempt: count(1),
    },
    { noNullPrototype: true },
  );
}

/** Whatever a stranger may put into the queue of a module. */
export function strayMessages(module: string): fc.Arbitrary<StrayMessage> {
  return fc
    .tuple(bodies(anyStepMessage(module)), properties)
    .map(([body, properties]) => ({ ...body, properties, [fc.toStringMethod]: show }));
}

function show(this: StrayMessage): string {
  const { becomes, content, properties, what } = this;
  const text = content.toString('latin1').slice(0, 500);
  return JSON.stringify({ what, becomes, bytes: content.length, text, properties });
}

function bodies(sound: fc.Arbitrary<StepMessage>): fc.Arbitrary<Body> {
  const parked = (what: string) => (content: Buffer) =>
    ({ what, content, becomes: 'parked' }) as const;
  const consumed = (what: string) => (content: Buffer) =>
    ({ what, content, becomes: 'consumed' }) as const;
  return fc.oneof(
    { weight: 4, arbitrary: sound.map(json).map(consumed('sound')) },
    { weight: 2, arbitrary: sound.chain(withMore).map(consumed('with members nobody knows')) },
    { weight: 1, arbitrary: sound.map(withoutRun).map(consumed('of a first run')) },
    { weight: 1, arbitrary: sound.chain(ofSize([-1, 0])).map(consumed('as large as may be')) },
    { weight: 1, arbitrary: sound.chain(ofSize([1])).map(parked('a byte too large')) },
    { weight: 1, arbitrary: sound.chain(nested([100, 900])).map(consumed('nested deeply')) },
    {
      weight: 1,
      arbitrary: sound.chain(nested([10_000, 400_000])).map(parked('nested too deeply')),
    },
    { weight: 1, arbitrary: sound.map(withOneTwice).map(parked('a member is there twice')) },
    { weight: 4, arbitrary: bytes.map(parked('any bytes')) },
    { weight: 2, arbitrary: noMessage.map(json).map(parked('another value')) },
    { weight: 2, arbitrary: sound.chain(cut).map(parked('cut')) },
    { weight: 4, arbitrary: sound.chain(withoutOne).map(parked('a member is missing')) },
    { weight: 6, arbitrary: sound.chain(withOneWrong).map(parked('a member is wrong')) },
    { weight: 1, arbitrary: sound.map(notUtf8).map(parked('not UTF-8')) },
    {
      weight: 3,
      arbitrary: sound
        .chain(withOtherByte)
        .map((content) => ({ what: 'a byte is another one', content, becomes: 'either' as const })),
    },
  );
}

/** None of them is the beginning of an object. */
const bytes = fc
  .uint8Array({ maxLength: 200 })
  .filter(([first]) => first !== 0x7b)
  .map((bytes) => Buffer.from(bytes));
const noMessage = fc.oneof(
  hostileObject({ text: anyText }),
  fc.array(hostileObject({ text: anyText }), { maxLength: 2 }),
  fc.oneof(anyText, edgeNumber, fc.constantFrom(null, true)),
);

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function withMore(message: StepMessage): fc.Arbitrary<Buffer> {
  const more = hostileObject({ text: anyText, without: Object.keys(message) });
  return more.map((members) =>
    json(Object.fromEntries(Object.entries(members).concat(Object.entries(message)))),
  );
}

/** Bodies that are a number of bytes away from the limit. */
function ofSize(distances: readonly number[]): (message: StepMessage) => fc.Arbitrary<Buffer> {
  return (message) =>
    fc.constantFrom(...distances).map((distance) => {
      const empty = json({ ...message, parameters: { text: '' } });
      const text = 'x'.repeat(BODY_LIMIT + distance - empty.length);
      return json({ ...message, parameters: { text } });
    });
}

function nested(depths: readonly number[]): (message: StepMessage) => fc.Arbitrary<Buffer> {
  return (message) => {
    const before = json({ ...message, parameters: { deep: 0 } }).toString();
    return fc.constantFrom(...depths).map((depth) => {
      const value = `{"deep":${'['.repeat(depth)}${']'.repeat(depth)}}`;
      return Buffer.from(before.replace('"parameters":{"deep":0}', () => `"parameters":${value}`));
    });
  };
}

function withOneTwice(message: StepMessage): Buffer {
  return Buffer.from(json(message).toString().replace('{', '{"v":1,'));
}

function cut(message: StepMessage): fc.Arbitrary<Buffer> {
  const whole = json(message);
  return fc.nat({ max: whole.length - 1 }).map((end) => whole.subarray(0, end));
}

function withoutOne(message: StepMessage): fc.Arbitrary<Buffer> {
  const needed = Object.keys(message).filter((name) => name !== 'run');
  return fc.constantFrom(...needed).map((name) => {
    return json(Object.fromEntries(Object.entries(message).filter(([other]) => other !== name)));
  });
}

/** Its run is that which has the step's name. */
function withoutRun({ run, ...message }: StepMessage): Buffer {
  return json({ ...message, step: run });
}

const WRONG: Readonly<Record<keyof StepMessage, readonly unknown[]>> = {
  v: [0, 2, '1', 1.5, null, [1]],
  taskId: ['', 7, null, ['a'], {}],
  cursor: [-1, 0.5, 2 ** 53, '0', null, {}],
  type: [-1, 3, '0', null, [0], true],
  parameters: [null, [], 'text', 0, false],
  module: ['', 'another', 1, null, {}],
  command: ['', 1, null, {}],
  timeout: [-1, -5e-324, '1', null, {}],
  retry: [-1, 0.5, '0', null, [], {}, { attempts: 0 }, { attempts: 1, backoff: 'none' }],
  step: ['', 1, null, []],
  run: ['', 1, null, [], 'a~', 'a~1', 'a~0', '~2', 'a/b', 'a#1', 'a~2~3', 'a#/b'],
  attempt: [0, -1, 1.5, 2 ** 53, '1', null],
};

function withOneWrong(message: StepMessage): fc.Arbitrary<Buffer> {
  const wrong = Object.entries(WRONG).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  );
  return fc.constantFrom(...wrong).map(([name, value]) => json({ ...message, [name]: value }));
}

function notUtf8(message: StepMessage): Buffer {
  const whole = json(message)
    .toString('latin1')
    .replace(/"step":"/, '$&\xc3\x28');
  return Buffer.from(whole, 'latin1');
}

function withOtherByte(message: StepMessage): fc.Arbitrary<Buffer> {
  const whole = json(message);
  const place = fc.nat({ max: whole.length - 1 });
  return fc.tuple(place, fc.integer({ min: 1, max: 255 })).map(([place, by]) => {
    const other = Buffer.from(whole);
    other[place] = (whole[place] ?? 0) ^ by;
    return other;
  });
}

/** Numbers as a client may declare them; RabbitMQ itself refuses what is not finite. */
const oddNumber = fc
  .constantFrom(-1e300, 1e300, 2 ** 50 + 0.5, -(2 ** 51) - 0.5, -0, 5e-324, 0.1)
  .map((value) => ({ '!': 'double', value }));
const headerValue = fc.oneof(
  wellFormedText,
  fc.constant('x'.repeat(300)),
  fc.integer(),
  fc.maxSafeInteger(),
  oddNumber,
  fc.constantFrom(null, true, false, [], {}, [1, 'a', null], { a: { b: [1] } }),
  fc.constant({ '!': 'timestamp', value: 1_700_000_000 }),
  fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes)),
);
const headerName = fc.oneof(
  fc.constantFrom('x-backstep-priority', 'traceparent', 'x-backstep-reason', 'x-backstep-queue'),
  fc.constantFrom('x-delivery-count', 'x-death', '__proto__', 'constructor', '', 'n'.repeat(255)),
  wellFormedText,
);
const properties: fc.Arbitrary<Options.Publish> = fc.record(
  {
    contentType: fc.oneof(wellFormedText, fc.constant('é'.repeat(127))),
    type: wellFormedText,
    priority: fc.nat({ max: 255 }),
    headers: fc
      .uniqueArray(fc.tuple(headerName, headerValue), { selector: ([name]) => name, maxLength: 6 })
      .map((entries): Record<string, unknown> => Object.fromEntries(entries)),
  },
  { requiredKeys: [], noNullPrototype: true },
);
