import * as fc from 'fast-check';
import { anyText, edgeNumber } from './hostile-values.js';

/** The name of a trap of a proxy. */
type Trap = keyof ProxyHandler<object>;

const TRAPS: readonly Trap[] = [
  ...(['get', 'has', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor'] as const),
];

const KEY = fc.oneof(anyText, fc.constantFrom('message', 'then', 'toJSON', 'length', 'kind'));

/** Makes a value again. A generator that held the value itself would trip over its traps. */
export type Make = () => unknown;

const NO_JSON = fc.constantFrom<Make>(
  () => undefined,
  () => 10n,
  () => Symbol('odd'),
  () => () => 1,
  () => new Date(Number.NaN),
  () => new Map([[1, 2]]),
  () => Number.NaN,
  () => Promise.resolve(1),
  () => Object.create({ inherited: 1 }) as unknown,
  () =>
    new Proxy(
      Object.assign(() => {}, { a: 1 }),
      {},
    ),
  () => revoked({}),
  () => revoked([]),
);

/**
 * Values as careless and hostile commands return and throw them: JSON with getters, proxies,
 * circles and forms of JSON of its own, at any depth. All of them are finite.
 */
export const hostileThing: fc.Arbitrary<Make> = thing(3);

/** Errors, some of them as they should be. */
export const hostileError: fc.Arbitrary<Make> = fc.oneof(
  hostileThing,
  fc
    .tuple(anyText, fc.constantFrom('message', 'code', 'name', 'cause', 'stack'), hostileThing)
    .map(([text, member, make]): Make => {
      const get = (): unknown => take(make());
      return () => Object.defineProperty(new Error(text), member, { configurable: true, get });
    }),
  fc.tuple(anyText, fc.constantFrom(...TRAPS)).map(
    ([text, trap]): Make =>
      () =>
        new Proxy(new Error(text), { [trap]: refuse }),
  ),
);

function thing(depth: number): fc.Arbitrary<Make> {
  const plain = fc.oneof(anyText, edgeNumber, fc.boolean(), fc.constant(null));
  const leaf = fc.oneof(
    {
      weight: 4,
      arbitrary: plain.map(
        (value): Make =>
          () =>
            value,
      ),
    },
    { weight: 1, arbitrary: NO_JSON },
  );
  if (depth === 0) return leaf;
  const inner = thing(depth - 1);
  return fc.oneof(leaf, ...holding(inner), ...trapped());
}

/** Things that hold others. */
function holding(inner: fc.Arbitrary<Make>): readonly fc.Arbitrary<Make>[] {
  return [
    fc.array(inner, { maxLength: 3 }).map(
      (makes): Make =>
        () =>
          makes.map((make) => make()),
    ),
    fc.dictionary(KEY, inner, { maxKeys: 3 }).map(
      (makes): Make =>
        () =>
          membersOf(makes),
    ),
    fc.tuple(KEY, inner).map(
      ([name, make]): Make =>
        () =>
          lazy(name, () => take(make())),
    ),
    inner.map((make): Make => () => ({ toJSON: () => take(make()) })),
    fc.dictionary(KEY, inner, { maxKeys: 2 }).map(
      (makes): Make =>
        () =>
          circle(membersOf(makes)),
    ),
  ];
}

/** Things that refuse to be looked at, or lie. */
function trapped(): readonly fc.Arbitrary<Make>[] {
  const trap = fc.constantFrom(...TRAPS);
  return [
    KEY.map(
      (name): Make =>
        () =>
          lazy(name, refuse),
    ),
    fc.constant<Make>(() => ({ toJSON: refuse })),
    trap.map((name): Make => () => ({ inside: new Proxy({ a: 1 }, { [name]: refuse }) })),
    trap.map(
      (name): Make =>
        () =>
          new Proxy({ a: 1 }, { [name]: refuse }),
    ),
    trap.map(
      (name): Make =>
        () =>
          new Proxy([1], { [name]: refuse }),
    ),
    trap.map(
      (name): Make =>
        () =>
          new Proxy({ a: 1 }, { [name]: lie }),
    ),
  ];
}

function membersOf(makes: Readonly<Record<string, Make>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(makes).map(([name, make]) => [name, make()]));
}

function lazy(name: string, get: () => unknown): object {
  return Object.defineProperty({}, name, { configurable: true, enumerable: true, get });
}

function circle(value: Record<string, unknown>): object {
  value['self'] = { back: value };
  return value;
}

function refuse(): never {
  throw new Error('it cannot be read');
}

/** An answer that a trap may not give. */
function lie(): unknown {
  return 7;
}

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** A getter gives what it gives: now and then that is an error. */
function take(value: unknown): unknown {
  if (value === null) refuse();
  return value;
}
