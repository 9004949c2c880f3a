import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { type KeyOrder, makeKey, type Principal, seesTask } from '#access';
import { type Task, TASK_STATUS, TASK_STATUS_NAMES, type TaskStatus } from '#core';
import { chain, SAMPLE_TIME, sampleTask } from '#testing';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../../test/fuzz/budget.js';
import { Gateway } from '../gateway-spec.js';

jest.setTimeout(FUZZ_TIMEOUT_MS);

const FLOWS = ['a-one', 'a-two', 'b-one', 'b-two', 'c'];
const HOUR_MS = 3_600_000;
const NOBODY = 'ffffffff-0000-7000-8000-000000000000';

let gateway: Gateway;
let count = 0;

beforeAll(async () => {
  const flows = FLOWS.map((name) => ({ ...chain(['x']), name }));
  gateway = await Gateway.open(flows, { asksForKeys: true });
});
afterAll(() => gateway.close());
beforeEach(() => {
  const { contents } = gateway.world.store;
  contents.tasks.clear();
  contents.changes.marks.clear();
});

/** A caller with a key: its headers, and its limits. */
interface Caller {
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: Pick<Principal, 'flows' | 'labels' | 'modules'>;
}

async function callerOf(order: Omit<KeyOrder, 'name'>): Promise<Caller> {
  count += 1;
  const secret = { id: count.toString(16).padStart(16, '0'), secret: 's'.repeat(43) };
  const { record, text } = makeKey({ name: `k${count}`, ...order }, secret, SAMPLE_TIME);
  await gateway.world.store.keys.put(record, null);
  return { headers: { authorization: `Bearer ${text}` }, limits: record };
}

/** A task of a random world: what is not said follows from its place in it. */
interface Sketch {
  readonly flow: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly status: TaskStatus;
  /** How many places before it the task is that it names; 0: it names none. */
  readonly parent: number;
  readonly restartOf: number;
  readonly failure: number;
}

const label = fc.constantFrom('x', 'y');
const labels = fc.record({ team: label, zone: label }, { requiredKeys: [] });
const sketch: fc.Arbitrary<Sketch> = fc.record({
  flow: fc.constantFrom(...FLOWS),
  labels,
  status: fc.constantFrom(...Object.values(TASK_STATUS)),
  parent: fc.nat(3),
  restartOf: fc.nat(3),
  failure: fc.nat(3),
});
const world = fc.array(sketch, { minLength: 4, maxLength: 12 });

const pattern = fc.constantFrom(...FLOWS, 'a-*', '*-one', '*', 'none', 'none-*', '*-t*');
const patterns = fc.array(pattern, { minLength: 1, maxLength: 3 }).map((all) => all.join());
const status = fc.constantFrom(...TASK_STATUS_NAMES, 'failed', 'live');

/** A random search, by the grammar. */
const term = fc.oneof(
  patterns.map((text) => `flow:${text}`),
  fc.array(status, { minLength: 1, maxLength: 4 }).map((all) => `status:${all.join()}`),
  fc.tuple(fc.constantFrom('team', 'zone', '__proto__'), label).map(([name, value]) => {
    return `label.${name}:${value}`;
  }),
  fc.constantFrom('step:check', 'module:resource', 'stage:check', 'step:none', 'executor:none'),
  fc.constantFrom('waits:person', 'parent:none', 'age:>2h', 'age:<5h', 'text:host', '"no host"'),
);
const search = fc.array(term, { maxLength: 3 }).map((terms) => terms.join(' '));

const role = fc.constantFrom('operator' as const, 'author' as const);
const fit = fc.oneof(label, fc.constantFrom('x*', '*', '*y*', 'none*'));
const limit = fc.record({ team: fit, zone: fit }, { requiredKeys: [] });
const fitting = limit.filter((labels) => Object.keys(labels).length > 0);
const rights: fc.Arbitrary<Omit<KeyOrder, 'name'>> = fc.record(
  { role, flows: patterns, labels: fitting, modules: fc.constantFrom('m', 'other') },
  { requiredKeys: ['role'] },
);

/** Stores a world, its oldest task first. */
async function store(sketches: readonly Sketch[]): Promise<readonly Task[]> {
  const { store } = gateway.world;
  const tasks: Task[] = [];
  for (const [
    n,
    { failure, flow, labels: own, parent, restartOf, status: is },
  ] of sketches.entries()) {
    const before = (steps: number): string | null => {
      return steps === 0 ? null : (tasks[n - steps]?.plan.taskId ?? null);
    };
    const over = before(parent);
    const createdAt = gateway.world.clock.now() - (sketches.length - n) * HOUR_MS;
    const of =
      over === null ? null : { taskId: over, run: 'x#1', index: 0, isPart: false, depth: 1 };
    const plan = { flow, labels: own, createdAt, parent: of, restartOf: before(restartOf) };
    const failureId = before(failure);
    const failureTask = failureId && { taskId: failureId, message: null, dueAt: null, looks: 0 };
    const task = sampleTask(
      { ...plan, failureFlow: tasks[n - failure]?.plan.flow ?? 'c' },
      { status: is, message: n % 2 === 0 ? 'no host' : null, failureTask: failureTask || null },
    );
    await store.insert(task);
    tasks.push(task);
  }
  return tasks;
}

interface Item {
  readonly taskId: string;
  readonly flow: string;
  readonly status: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly parent: { readonly taskId: string } | null;
}

async function read<T>(url: string, { headers }: Caller): Promise<T> {
  const answer = await gateway.ask({ url, headers });
  expect([url, answer.statusCode]).toEqual([url, 200]);
  return answer.json() as T;
}

/** All pages of a list. */
async function listed(query: string, caller: Caller): Promise<readonly Item[]> {
  type Page = { readonly items: readonly Item[]; page: { readonly nextCursor: string | null } };
  const found: Item[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const at: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Page = await read(`/v1/tasks?limit=5&${query}${at}`, caller);
    found.push(...page.items);
    cursor = page.page.nextCursor;
  }
  return found;
}

const idsOf = (items: readonly { readonly taskId: string }[]): readonly string[] => {
  return items.map(({ taskId }) => taskId).toSorted();
};

/** How often there is each value. */
function tally(values: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

interface Told {
  readonly requestId: string;
}

interface Lock {
  readonly name: string;
  readonly holders: readonly { readonly taskId: string }[];
  readonly waiting: readonly { readonly taskId: string }[];
}

/** An answer with limits, and the same without them as far as the caller sees it. */
interface Case {
  readonly tasks: readonly Task[];
  readonly all: Caller;
  readonly some: Caller;
  readonly q: string;
}

/** Tries random worlds, callers and searches. */
function holds(check: (one: Case) => Promise<void>): Promise<void> {
  const play = async (sketches: readonly Sketch[], order: Omit<KeyOrder, 'name'>, text: string) => {
    gateway.world.store.contents.tasks.clear();
    gateway.world.store.contents.changes.marks.clear();
    const tasks = await store(sketches);
    const all = await callerOf({ role: 'admin' });
    const some = await callerOf(order);
    await check({ tasks, all, some, q: `q=${encodeURIComponent(text)}` });
  };
  return fc.assert(fc.asyncProperty(world, rights, search, play), fuzzBudget(200));
}

/** The list that the caller is to get, by the list of somebody who sees everything. */
async function expected({ all, q, some, tasks }: Case, more = ''): Promise<readonly Item[]> {
  const items = await listed(`${q}${more}`, all);
  const seen = new Set(idsOf(seenIn(tasks, some).map(({ plan }) => plan)));
  return items
    .filter(({ taskId }) => seen.has(taskId))
    .map((item) => ({ ...item, parent: seen.has(item.parent?.taskId ?? '') ? item.parent : null }));
}

function seenIn(tasks: readonly Task[], { limits }: Caller): readonly Task[] {
  return tasks.filter(({ plan }) => seesTask(limits, plan));
}

describe('an answer with limits is the one without, as far as the caller sees it:', () => {
  it('lists', () =>
    holds(async (one) => {
      expect(await listed(one.q, one.some)).toEqual(await expected(one));
    }));

  it('lists of whole tasks', () =>
    holds(async (one) => {
      const q = one.q.includes('host') ? 'q=' : one.q;
      const items = await listed(`${q}&full=true`, one.some);
      const wanted = await expected({ ...one, q });
      expect(idsOf(items)).toEqual(idsOf(wanted));
      expect(items.map(({ parent }) => parent)).toEqual(wanted.map(({ parent }) => parent));
    }));

  it('child tasks of one parent', () =>
    holds(async (one) => {
      const [{ plan }] = one.tasks as [Task];
      const isSeen = seesTask(one.some.limits, plan);
      const more = `&parent=${plan.taskId}`;
      const wanted = isSeen ? await expected(one, more) : [];
      expect(await listed(`${one.q}${more}`, one.some)).toEqual(wanted);
    }));

  it('counts', () =>
    holds(async (one) => {
      const items = await expected(one);
      const values: Readonly<Record<string, (item: Item) => string>> = {
        status: (item) => item.status,
        flow: (item) => item.flow,
        'label.team': (item) => item.labels['team'] ?? '',
      };
      for (const [by, valueOf] of Object.entries(values)) {
        const url = `/v1/tasks:count?${one.q}&by=${by}&every=3600`;
        const counted = await read<{
          total: number;
          counts: object;
          intervals: { total: number }[];
        }>(url, one.some);
        const { counts, intervals, total } = counted;
        expect(total).toBe(items.length);
        expect(counts).toEqual(tally(items.map(valueOf)));
        expect(intervals.reduce((sum, interval) => sum + interval.total, 0)).toBe(total);
      }
    }));

  it('changes', () =>
    holds(async (one) => {
      // Terms of what a task does now are refused.
      if (/(step|module|stage|executor)%3A/.test(one.q)) return;
      const url = `/v1/events?${one.q}&lastEventId=0`;
      const { items } = await read<{ items: readonly Item[] }>(url, one.some);
      const byId = (all: readonly Item[]): readonly Item[] => {
        return all.toSorted((a, b) => (a.taskId < b.taskId ? -1 : 1));
      };
      expect(byId(items)).toEqual(byId(await expected(one)));
    }));

  it('the tasks that an operation acts on', () =>
    holds(async (one) => {
      const { headers } = one.some;
      const q = decodeURIComponent(one.q.slice(2));
      if (q === '') return;
      const order = { action: 'terminate', q, reason: 'a test', dryRun: true };
      const answer = await gateway.post('/v1/operations', order, headers);
      expect(answer.statusCode).toBe(202);
      const { examples, matched, sample } = answer.json<{
        matched: number;
        examples: readonly { readonly taskId: string }[];
        sample: readonly string[];
      }>();
      const wanted = idsOf(await expected(one));
      expect(matched).toBe(wanted.length);
      expect([...sample, ...idsOf(examples)].toSorted()).toEqual(wanted);
    }));

  it('locks, with the tasks that hold them or wait', () =>
    holds(async ({ all, some, tasks }) => {
      const { contents, locks } = gateway.world.store;
      contents.lines.clear();
      for (const [n, { plan }] of tasks.entries()) {
        const order = { number: 1, slots: 1 + (n % 2), since: SAMPLE_TIME, taskId: plan.taskId };
        await locks.enter({ ...order, name: `lock-${n % 3}` });
      }
      const seen = new Set(idsOf(seenIn(tasks, some).map(({ plan }) => plan)));
      const { items } = await read<{ items: readonly Lock[] }>('/v1/locks', all);
      const wanted = items.flatMap(({ holders, waiting, ...lock }) => {
        const isSeen = ({ taskId }: { readonly taskId: string }): boolean => seen.has(taskId);
        const shown = { ...lock, holders: holders.filter(isSeen), waiting: waiting.filter(isSeen) };
        return shown.holders.length + shown.waiting.length === 0 ? [] : [shown];
      });
      expect(await read('/v1/locks', some)).toEqual({ items: wanted, page: { nextCursor: null } });
    }));

  it('single tasks, with all that is told of them', () =>
    holds(async ({ some, tasks }) => {
      const hidden = new Set(idsOf(tasks.map(({ plan }) => plan)));
      for (const { plan } of seenIn(tasks, some)) hidden.delete(plan.taskId);
      for (const { plan } of tasks) {
        for (const part of ['', '/events', '/why', '/graph', '/provenance', '/rollback-plan']) {
          const ask = (taskId: string) => {
            return gateway.ask({ url: `/v1/tasks/${taskId}${part}`, headers: some.headers });
          };
          const answer = await ask(plan.taskId);
          if (hidden.has(plan.taskId)) {
            const absent = await ask(NOBODY);
            const same = answer.body.replaceAll(plan.taskId, NOBODY);
            const told = JSON.parse(same) as Told;
            expect(answer.statusCode).toBe(404);
            expect({ ...told, requestId: '' }).toEqual({ ...absent.json<Told>(), requestId: '' });
          } else {
            expect(answer.statusCode).toBe(200);
            for (const id of hidden) expect(answer.body).not.toContain(id);
          }
        }
      }
    }));
});
