import {
  canSucceed,
  FAILING_FLOW,
  FAILS_LAST,
  type NextOrder,
  type Order,
  type TaskView,
} from '../load/index.js';

/** Steps without a second attempt: taking one from a living process fails its task. */
const ONE_CHANCE = 'one-chance';
/** The same, many short ones: at any moment some claim of a message is on its way to the store. */
const MANY_CLAIMS = 'many-claims';

/** Shares of the orders. */
const SLOW_SHARE = 0.3;
const SHORT_SHARE = 0.4;
const FAILING_SHARE = 0.1;

const SLOW_AT_ONCE = 3;
const SHORT_IN_TURN = 12;

/** The longest step, in milliseconds: several renewals of the lease that the tests use. */
const SLOW_MAX_MS = 6_000;

/** A lost attempt is a failed one. */
const ONCE = { retry: 0, onCrash: { restarts: 0 } };

const effect = (name: string) => ({
  name,
  normal: { module: 'lab', command: 'effect', ...ONCE, parameters: { name } },
  rollback: { module: 'lab', command: 'undo_effect', retry: 5, parameters: { name } },
});

const sleep = (name: string, parameters = {}) => ({
  name,
  normal: { module: 'lab', command: 'sleep', ...ONCE, parameters },
});

/** One that only another process can claim, by a message. */
const check = (name: string) => ({
  name,
  normal: {
    module: 'resource',
    command: 'check_resource',
    ...ONCE,
    parameters: { cpu: 1, memory: 1, storage: 10 },
  },
});

const numbered = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`);

const slow = numbered(SLOW_AT_ONCE, 'slow');

/** The flows of {@link someOrder} that do not come along with Backstep. */
export const OUTAGE_FLOWS = {
  ...FAILING_FLOW,
  [ONE_CHANCE]: {
    input: {
      type: 'object',
      required: ['ms'],
      properties: { ms: { type: 'integer', minimum: 0, description: 'How long it sleeps.' } },
    },
    steps: [
      effect('before'),
      ...slow.map((name) => ({ ...sleep(name), needs: ['before'] })),
      { ...effect('after'), needs: slow },
    ],
  },
  [MANY_CLAIMS]: numbered(SHORT_IN_TURN, 'short').map((name, index) =>
    index % 2 === 1 ? check(name) : sleep(name, { ms: 20 }),
  ),
};

/** Those of them that are no chains. */
export const WIDE_FLOWS: ReadonlySet<string> = new Set([ONE_CHANCE]);

/** Steps that have one attempt, slow or many; instances, some of which are undone. */
export const someOrder: NextOrder = (random) => {
  const kind = random.next();
  if (kind < SLOW_SHARE) {
    return { flow: ONE_CHANCE, parameters: { ms: random.between(100, SLOW_MAX_MS) } };
  }
  if (kind < SLOW_SHARE + SHORT_SHARE) return { flow: MANY_CLAIMS, parameters: {} };
  return {
    flow: kind > 1 - FAILING_SHARE ? FAILS_LAST : 'create-db-instance',
    parameters: { cpu: random.between(1, 8), memory: random.between(1, 64), storage: 10 },
  };
};

/** How the task of an order ends unless an outage harms it. */
export function endOf(order: Order): TaskView['status'] {
  return canSucceed(order) ? 'succeeded' : 'rolled_back';
}
