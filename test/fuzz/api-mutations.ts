import * as fc from 'fast-check';
import { anyText, hostileObject, wellFormedText } from './hostile-values.js';
import { type ApiRequest, asHeader } from './api-requests.js';
import { deepTree, longNumber, unfitList } from './large-bodies.js';

type Mutate = (request: ApiRequest) => ApiRequest;
type Members = Readonly<Record<string, unknown>>;

const anyJson = fc.oneof(
  hostileObject({ text: anyText }),
  fc.constantFrom(null, true, 0.5, -1, 1e308, '', [], [[]], {}, '\u0000', [null]),
);
const headerText = wellFormedText.map((text) => asHeader(text.replaceAll(/\p{Cc}/gu, '')));

/** One thing that is not as the document says, made of any request. */
const mutations: readonly (readonly [string, fc.Arbitrary<Mutate>])[] = [
  ['a member is missing', fc.nat().map((n) => ofMembers((members) => without(members, n)))],
  [
    'a member has another value',
    fc.tuple(fc.nat(), anyJson).map(([n, value]) =>
      ofMembers((members) => {
        const name = Object.keys(members)[n % Object.keys(members).length] ?? 'flow';
        return { ...members, [name]: value };
      }),
    ),
  ],
  [
    'a member is not known',
    fc
      .tuple(anyText, anyJson)
      .map(([name, value]) => ofMembers((members) => ({ ...members, [`x${name}`]: value }))),
  ],
  ['the body is another value', anyJson.map((value) => withBody(JSON.stringify(value)))],
  ['the body is cut', fc.nat().map((n) => ofBody((body) => body.subarray(0, n % body.length)))],
  [
    'a byte of the body is another one',
    fc.tuple(fc.nat(), fc.nat({ max: 255 })).map(([n, byte]) =>
      ofBody((body) => {
        const copy = Buffer.from(body);
        copy[n % copy.length] = byte;
        return copy;
      }),
    ),
  ],
  ['the body is too large', fc.constant(withBody(`{"flow":"${'x'.repeat(6_000_000)}"}`))],
  ['a number is long', longNumber.map((number) => withParameters('quick', `{"a":${number}}`))],
  ['a tree is deep', deepTree.map((tree) => withParameters('quick', `{"a":${tree}}`))],
  ['a list fits no choice', unfitList.map((list) => withParameters('choosy', `{"hosts":${list}}`))],
  [
    'the body is of another kind',
    fc
      .constantFrom('text/plain', 'application/xml', 'application/json; charset=latin1', 'x', '/')
      .map((type) => withHeader('content-type', type)),
  ],
  [
    'a header is odd',
    fc
      .tuple(
        fc.constantFrom('Idempotency-Key', 'If-Match', 'If-None-Match', 'Last-Event-ID'),
        headerText,
      )
      .map(([name, value]) => withHeader(name, value)),
  ],
  ['the actor is odd', headerText.map((value) => withHeader('X-Backstep-Actor', value))],
  [
    'a parameter is odd',
    fc
      .tuple(
        fc.constantFrom('flow', 'status', 'limit', 'cursor', 'wait', 'label.', 'x'),
        wellFormedText,
      )
      .map(([name, value]) => (request: ApiRequest) => {
        return { ...request, query: [...request.query, [name, value] as const] };
      }),
  ],
  [
    'the path is odd',
    wellFormedText.filter(isSegment).map((value) => (request: ApiRequest) => {
      const names = Object.keys(request.path);
      return { ...request, path: Object.fromEntries(names.map((name) => [name, value])) };
    }),
  ],
  [
    'the method is another one',
    fc
      .constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS')
      .map((method) => (request: ApiRequest) => ({ ...request, method })),
  ],
];

/** Sound requests, each with one thing changed. */
export function mutated(sound: fc.Arbitrary<ApiRequest>): fc.Arbitrary<ApiRequest> {
  const one = fc.oneof(
    ...mutations.map(([mutation, mutate]) => mutate.map((change) => ({ mutation, change }))),
  );
  return fc
    .tuple(sound, one)
    .map(([request, { change, mutation }]) => ({ ...change(request), mutation }));
}

function ofMembers(change: (members: Members) => Members): Mutate {
  return ofBody((body) => Buffer.from(JSON.stringify(change(JSON.parse(String(body)) as Members))));
}

function ofBody(change: (body: Buffer) => Buffer): Mutate {
  return (request) => {
    const { body } = request;
    return body === undefined || body.length === 0 ? request : { ...request, body: change(body) };
  };
}

function withBody(text: string): Mutate {
  return ofBody(() => Buffer.from(text));
}

function withParameters(flow: string, parameters: string): Mutate {
  return withBody(`{"flow":"${flow}","parameters":${parameters}}`);
}

function withHeader(name: string, value: string): Mutate {
  return (request) => ({ ...request, headers: { ...request.headers, [name]: value } });
}

function without(members: Members, n: number): Members {
  const names = Object.keys(members);
  return Object.fromEntries(
    Object.entries(members).filter(([name]) => name !== names[n % names.length]),
  );
}

/** Clients resolve dots before anything is sent. */
function isSegment(text: string): boolean {
  return !/^\.{0,2}$/.test(text);
}
