import * as fc from 'fast-check';
import { isFinal, type Task, type TaskStatus } from '#core';
import type { TaskQuery } from '#ports';
import { SAMPLE_TIME, sampleTask } from '#testing';

/** A task that a play may insert; many share a flow, a label, a moment or a key. */
export interface Role {
  readonly flow: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly key: string | null;
  readonly age: number;
  readonly status: TaskStatus;
  readonly wakeAt: number;
}

/** A write of one task; `stale` commits on a document that is no longer the stored one. */
export type Write =
  | { readonly act: 'insert'; readonly who: number }
  | {
      readonly act: 'commit';
      readonly who: number;
      readonly status: TaskStatus;
      readonly wakeAt: number;
      readonly stale: boolean;
    };

/** One call of a store, or several at once. */
export type Act =
  | Write
  /** Every page of it is read. */
  | { readonly act: 'list'; readonly query: TaskQuery }
  | { readonly act: 'together'; readonly writes: readonly Write[] }
  | { readonly act: 'due'; readonly now: number; readonly limit: number }
  | { readonly act: 'key'; readonly key: string }
  | { readonly act: 'get'; readonly who: number }
  | { readonly act: 'count' }
  | { readonly act: 'reopen' };

/** A sequence of calls, and the tasks that it is about. */
export interface Play {
  readonly roles: readonly Role[];
  readonly acts: readonly Act[];
}

const FLOWS = ['a', 'A', 'a.b', '__proto__', 'é'];
const KEYS = ['k', 'K', 'k ', '$k', 'constructor'];
const LABELS = [
  {},
  { team: 'db' },
  { team: 'DB', a: 'b' },
  { __proto: '', 'a=b': 'c' },
  { a: 'b' },
];
const ROLES_MAX = 8;

const INSERTS = Array.from({ length: ROLES_MAX - 2 }, (_, who): Act => ({ act: 'insert', who }));

const status = fc.constantFrom<TaskStatus>(0, 1, 2, 3, 4, 5, 6);
const wakeAt = fc.nat({ max: 5 });
const who = fc.nat({ max: ROLES_MAX - 1 });
const moment = fc.nat({ max: 4 }).map((age) => SAMPLE_TIME + age);

const role: fc.Arbitrary<Role> = fc.record({
  flow: fc.constantFrom(...FLOWS),
  labels: fc.constantFrom(...LABELS),
  key: fc.option(fc.constantFrom(...KEYS)),
  age: fc.nat({ max: 3 }),
  status: fc.constantFrom<TaskStatus>(1, 2, 5),
  wakeAt,
});

const write: fc.Arbitrary<Write> = fc.oneof(
  fc.record({ act: fc.constant('insert'), who }),
  fc.record({ act: fc.constant('commit'), who, status, wakeAt, stale: fc.boolean() }),
);

const filters = {
  flow: fc.constantFrom(...FLOWS),
  statuses: fc.uniqueArray(status),
  labels: fc.constantFrom(...LABELS),
  createdAfter: moment,
  createdBefore: moment,
  waitsForPerson: fc.constant(true),
};

/** Few filters at a time: a list that finds nothing tells nothing. */
const query: fc.Arbitrary<TaskQuery> = fc
  .tuple(fc.subarray(Object.keys(filters), { maxLength: 2 }), fc.record(filters))
  .chain(([names, all]) => {
    const some = Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
    const limit = fc.constantFrom(1, 2, 3, 200);
    return limit.map((limit): TaskQuery => ({ limit, ...some }));
  });

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: write },
  { weight: 5, arbitrary: fc.record({ act: fc.constant('list'), query }) },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant('together'),
      writes: fc.array(write, { minLength: 2, maxLength: 5 }),
    }),
  },
  fc.record({ act: fc.constant('due'), now: wakeAt, limit: fc.constantFrom(1, 3, 100) }),
  fc.record({ act: fc.constant('key'), key: fc.constantFrom(...KEYS, 'none') }),
  fc.record({ act: fc.constant('get'), who }),
  fc.record({ act: fc.constantFrom('count', 'reopen') }),
);

/** Plays of every kind of call. */
export const plays: fc.Arbitrary<Play> = fc.record({
  roles: fc.array(role, { minLength: ROLES_MAX, maxLength: ROLES_MAX }),
  // Most tasks are there from the start.
  acts: fc.array(act, { minLength: 1, maxLength: 30 }).map((acts) => [...INSERTS, ...acts]),
});

/** The task that a role is, before anything happened to it. */
export function taskOf({ age, flow, key, labels, status, wakeAt }: Role): Task {
  const plan = { flow, labels, idempotencyKey: key, createdAt: SAMPLE_TIME + age };
  return sampleTask(plan, { status, wakeAt: wakeAtOf(status, wakeAt) });
}

/** A task sleeps exactly when it is final. */
export function wakeAtOf(status: TaskStatus, wakeAt: number): number | null {
  return isFinal(status) ? null : wakeAt;
}
