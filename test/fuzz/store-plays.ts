import assert from 'node:assert/strict';
import { it } from '@jest/globals';
import * as fc from 'fast-check';
import { assertNever, type Task } from '#core';
import { isUnreadable, type ListedTask, type TaskQuery, type TaskStore } from '#ports';
import { MemoryStore, nextOf, type OpenStore, type StoreFixture } from '#testing';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from './budget.js';
import { type Act, type Play, plays, taskOf, wakeAtOf, type Write } from './store-acts.js';

/** The same calls on this store and on the one in memory give the same answers. */
export function storePlays(openStore: OpenStore, gateRuns: number): void {
  it(
    'any sequence of calls is answered as the store in memory answers it',
    async () => {
      const isAlike = async (play: Play): Promise<void> => {
        const stage = new Stage(await openStore(), play);
        try {
          for (const act of play.acts) await stage.act(act);
          await stage.act({ act: 'reopen' });
          await stage.act({ act: 'list', query: { limit: 7 } });
        } finally {
          await stage.fixture.dispose();
        }
      };
      await fc.assert(fc.asyncProperty(plays, isAlike), fuzzBudget(gateRuns));
    },
    FUZZ_TIMEOUT_MS,
  );
}

/** Plays one sequence on two stores. */
class Stage {
  readonly #model = new MemoryStore();
  /** For each role, every document it ever had: the last one is stored, or was never inserted. */
  readonly #documents: Task[][];

  constructor(
    public fixture: StoreFixture,
    { roles }: Play,
  ) {
    this.#documents = roles.map((role) => [taskOf(role)]);
  }

  async act(act: Act): Promise<void> {
    if (act.act === 'reopen') {
      this.fixture = await this.fixture.reopen();
      return;
    }
    const call = this.#callOf(act);
    const [actual, expected] = await Promise.all([call(this.fixture.tasks), call(this.#model)]);
    assert.deepEqual(plain(actual), plain(expected), `on ${JSON.stringify(act)}`);
  }

  /** The call as it is made of either store; made once, so that both get the same documents. */
  #callOf(act: Exclude<Act, { act: 'reopen' }>): (store: TaskStore) => Promise<unknown> {
    switch (act.act) {
      case 'together': {
        const calls = this.#apart(act.writes).map((write) => this.#callOf(write));
        return (store) => Promise.all(calls.map((call) => call(store)));
      }
      case 'insert': {
        const [task] = this.#documents[act.who]!;
        return (store) => store.insert(task!);
      }
      case 'commit':
        return this.#commitOf(act);
      case 'list':
        return (store) => listAll(store, act.query);
      case 'due':
        return (store) => this.#due(store, act);
      case 'key':
        return (store) => store.findByKey(act.key);
      case 'get':
        return (store) => store.get(this.#idOf(act.who));
      case 'count':
        return (store) => store.countLive();
      default:
        return assertNever(act);
    }
  }

  #commitOf(act: Extract<Write, { act: 'commit' }>): (store: TaskStore) => Promise<unknown> {
    const documents = this.#documents[act.who]!;
    const { status, stale } = act;
    const previous = (stale ? documents[0] : documents.at(-1))!;
    const next = nextOf(previous, { status, wakeAt: wakeAtOf(status, act.wakeAt) });
    const stored = this.#model.contents.tasks.get(previous.plan.taskId);
    if (stored?.revision === previous.revision) documents.push(next);
    return (store) => store.commit(previous, next);
  }

  /** Which of too many are due is the store's choice: how many is not, nor that they are due. */
  async #due(
    store: TaskStore,
    { limit, now }: { readonly limit: number; readonly now: number },
  ): Promise<unknown> {
    const due = await store.findDue(now, limit);
    const all = await store.findDue(now, 1_000);
    const isAmongAll = due.every((task) => {
      return all.some((other) => JSON.stringify(plain(other)) === JSON.stringify(plain(task)));
    });
    return { count: due.length, isAmongAll, all: byId(all) };
  }

  /** Of writes that are made at once, those whose order cannot matter. */
  #apart(writes: readonly Write[]): readonly Write[] {
    const taken = new Set<unknown>();
    return writes.filter(({ who }) => {
      const { idempotencyKey, taskId } = this.#documents[who]![0]!.plan;
      const names = [taskId, ...(idempotencyKey === null ? [] : [`key ${idempotencyKey}`])];
      if (names.some((name) => taken.has(name))) return false;
      for (const name of names) taken.add(name);
      return true;
    });
  }

  #idOf(who: number): string {
    return this.#documents[who]![0]!.plan.taskId;
  }
}

/** All pages of a list; tasks of one moment have no order that stores agree on. */
async function listAll(store: TaskStore, query: TaskQuery): Promise<unknown> {
  const items: ListedTask[] = [];
  const sizes: number[] = [];
  let cursor: TaskQuery['cursor'];
  do {
    const page = await store.list({ ...query, ...(cursor !== undefined && { cursor }) });
    items.push(...page.items);
    sizes.push(page.items.length);
    cursor = page.nextCursor ?? undefined;
    assert.ok(sizes.length < 100, 'the pages come to an end');
  } while (cursor !== undefined);
  const times = items.map((item) => (isUnreadable(item) ? null : item.createdAt));
  return { sizes, times, items: items.toSorted((a, b) => (a.taskId < b.taskId ? -1 : 1)) };
}

function byId(tasks: readonly Task[]): readonly Task[] {
  return tasks.toSorted((a, b) => (a.plan.taskId < b.plan.taskId ? -1 : 1));
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}
