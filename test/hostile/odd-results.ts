/** Odd values that a command returns or throws, each made again for every attempt. */
export const ODD_RESULTS: Readonly<Record<string, () => unknown>> = {
  'a getter that throws': () => ({
    get lazy(): never {
      throw new Error('the connection is closed');
    },
  }),
  'a getter deep inside that throws': () => ({
    rows: [
      { id: 1 },
      {
        get owner(): never {
          throw new Error('not loaded');
        },
      },
    ],
  }),
  'a proxy that has no keys': () => new Proxy({ a: 1 }, { ownKeys: throwing }),
  'a proxy that has no members': () => new Proxy({ a: 1 }, { get: throwing }),
  'a proxy that has no prototype': () => new Proxy({ a: 1 }, { getPrototypeOf: throwing }),
  'a proxy that has no descriptors': () =>
    new Proxy({ a: 1 }, { getOwnPropertyDescriptor: throwing }),
  'a proxy that was revoked': revoked,
  'a list that was revoked': () => ({ rows: revoked([]) }),
  'a form of JSON that throws': () => ({ toJSON: throwing }),
  'a form of JSON that is none': () => ({ toJSON: () => () => 1 }),
  'a circle': () => {
    const ring: Record<string, unknown> = { a: 1 };
    ring['self'] = ring;
    return ring;
  },
  'a tree of a hundred thousand levels': deep,
  'a list of a billion holes': () => ({ rows: holes(1_000_000_000) }),
  'a list that goes on for ever': () => ({ rows: endlessList() }),
  'a tree that grows as it is read': () => growing(),
  'a number that JSON has not': () => ({ size: 10n }),
  'a symbol': () => Symbol('odd'),
  'a function': () => throwing,
  'a map of instances': () => ({ when: new Date(Number.NaN), seen: new Map([[1, 2]]) }),
  'a promise that is never kept': () => ({ later: new Promise(() => {}) }),
  'half a character': () => ({ text: '\ud800' }),
  'a member that means a prototype': () => JSON.parse('{"__proto__": {"admin": true}}') as unknown,
};

/** Values other than plain errors that a command throws. */
export const ODD_ERRORS: Readonly<Record<string, () => unknown>> = {
  'an error whose message throws': () =>
    Object.defineProperty(new Error('x'), 'message', { get: throwing }),
  'an error whose code throws': () =>
    Object.defineProperty(new Error(''), 'code', { get: throwing }),
  'a proxy of an error': () => new Proxy(new Error('x'), { get: throwing }),
  'a proxy without a prototype': () => new Proxy(new Error('x'), { getPrototypeOf: throwing }),
  'a proxy of nothing': revoked,
  'an object with getters alone': () => ({
    get message(): never {
      throw new Error('x');
    },
  }),
  nothing: () => undefined,
  'a symbol': () => Symbol('odd'),
  'an error that is its own cause': () => {
    const error = new Error('x');
    error.cause = error;
    return error;
  },
  'a message of ten million characters': () => new Error('x'.repeat(10_000_000)),
};

/** Rows that share their text: little memory, half a gigabyte as JSON. */
export function hugeOutput(): object {
  const row = 'x'.repeat(1_000_000);
  return { rows: Array.from({ length: 500 }, () => row) };
}

function throwing(): never {
  throw new Error('it cannot be read');
}

function revoked(target: object = {}): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

function holes(length: number): unknown[] {
  const list: unknown[] = [];
  list.length = length;
  return list;
}

function endlessList(): unknown[] {
  const forEver = function* (): Generator<null> {
    for (;;) yield null;
  };
  return Object.assign([1], { [Symbol.iterator]: forEver });
}

function growing(): object {
  return {
    get left(): object {
      return growing();
    },
    get right(): object {
      return growing();
    },
  };
}

function deep(): object {
  let tree: object = {};
  for (let level = 0; level < 100_000; level += 1) tree = { tree };
  return tree;
}
