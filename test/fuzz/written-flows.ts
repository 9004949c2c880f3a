import * as fc from 'fast-check';

/** An action as a person wrote it, sound or not. */
export interface LooseAction {
  readonly module?: string;
  readonly command: string;
  readonly timeout?: number | string;
  readonly attemptTimeout?: number | string;
  readonly retry?: LooseRetry | number;
}

/** A retry policy as a person wrote it, sound or not. */
export interface LooseRetry {
  readonly attempts?: number;
  readonly backoff?: string;
  readonly delay?: number | string;
  readonly maxDelay?: number | string | null;
  readonly jitter?: boolean;
}

/** A step as a person wrote it, sound or not. */
export interface LooseStep {
  readonly name?: string;
  readonly needs?: readonly string[];
  readonly normal: LooseAction;
  readonly rollback?: LooseAction | null;
}

/** The modules and commands that there are. */
export const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  m: ['check', 'init', 'a'],
  n: ['check', 'undo'],
};

/** Mostly one of the good ones, now and then one of the bad ones. */
function mostly<T>(good: readonly T[], bad: readonly T[]): fc.Arbitrary<T> {
  const weight = 120;
  return fc.oneof({ weight, arbitrary: fc.constantFrom(...good) }, fc.constantFrom(...bad));
}

const delay = mostly<number | string>(['1s', '500ms', 0.25, '2'], ['0', '-1s', '1 s', 0, '9000h']);
const number = mostly([0, 1, 3, 999], [-1, 1.5, 1_000]);
const policy = fc.record<LooseRetry>(
  {
    attempts: mostly([1, 2, 4, 1_000], [0, -1, 2.5, 1_001]),
    backoff: mostly(['fixed', 'exponential'], ['none', '']),
    delay,
    maxDelay: mostly<number | string | null>(['2s', '1m', null, 2], ['1', '0.4ms', 'never']),
    jitter: fc.boolean(),
  },
  { requiredKeys: ['attempts'], noNullPrototype: true },
);
const retry = fc.oneof(
  { weight: 20, arbitrary: fc.oneof(number, policy) },
  fc.constant<LooseRetry>({ backoff: 'fixed' }),
);

const action: fc.Arbitrary<LooseAction> = fc
  .constantFrom(...Object.entries(COMMANDS))
  .chain(([module, commands]) =>
    fc.record(
      {
        module: mostly([module], ['none', '']),
        command: mostly(commands, ['no', '-x']),
        timeout: mostly<number | string>(['5s', '1h', 300, '1.5h'], ['0ms', 'soon', '8761h']),
        attemptTimeout: mostly<number | string>(['1s', '5s'], ['2h', '1d', 300]),
        retry,
      },
      { requiredKeys: ['module', 'command'], noNullPrototype: true },
    ),
  );

const NAMES = ['a', 'b', 'c', 'd', 'check-2', 'init'];
const ODD_NAMES = [...NAMES, 'check', 'no name', ''];

/** Steps with names and steps without; these need one another by the names they are given. */
function stepAt(index: number, isNamed: boolean): fc.Arbitrary<LooseStep> {
  const before = isNamed ? NAMES.slice(0, index) : ['check', 'init', 'check-2'];
  const need = mostly(before.length === 0 ? ODD_NAMES : before, ODD_NAMES);
  const rest = fc.record(
    {
      needs: fc.array(need, { maxLength: Math.min(2, before.length) }),
      normal: action,
      rollback: fc.option(action, { freq: 3 }),
    },
    { requiredKeys: ['normal'], noNullPrototype: true },
  );
  const name = fc.option(mostly([NAMES[index] ?? ''], ODD_NAMES), { freq: 6 });
  return fc
    .tuple(isNamed ? name : fc.constant(null), rest)
    .map(([name, rest]) => (name === null ? rest : { name, ...rest }));
}

/** Lists of steps as a person may write them: about as many that cannot run as that can. */
export const looseSteps: fc.Arbitrary<readonly LooseStep[]> = fc
  .tuple(fc.integer({ min: 0, max: NAMES.length }), fc.boolean())
  .chain(([count, isNamed]) => {
    return fc.tuple(...NAMES.slice(0, count).map((_, index) => stepAt(index, isNamed)));
  });
