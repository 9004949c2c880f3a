import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DeliveryRecord, NotificationKind } from '#ports';
import { FakeEntropy, ManualClock, MemoryStore } from '#testing';
import { sampleDelivery, sampleNotification } from '#testing';
import { changeDelivery, FactLedger } from './ledger.js';

const RULE = sampleNotification('on-call');
const OF_RULE = { index: 'rule', of: [RULE.name] } as const;
const KINDS = ['failed', 'stuck'] as const;

let clock: ManualClock;
let store: MemoryStore;
let ledger: FactLedger;
beforeEach(() => {
  clock = new ManualClock();
  store = new MemoryStore();
  ledger = new FactLedger({ clock, deliveries: store.deliveries, entropy: new FakeEntropy() });
});

/** Looks at tasks; null: there is nothing to tell of them. */
async function look(tasks: readonly string[], kind: NotificationKind | null, mark = 1) {
  const facts = kind === null ? [] : [{ kind, key: '', message: kind }];
  const rule = { ...RULE, order: { ...RULE.order, on: KINDS } };
  const subject = { flow: 'f', mark, kinds: KINDS, facts, fits: () => true };
  await ledger.settle(
    [rule],
    tasks.map((id) => ({ ...subject, id })),
  );
  await clock.advance(1);
}

async function told(task: string): Promise<readonly DeliveryRecord[]> {
  const { deliveries } = store;
  return deliveries.list({ index: 'about', of: [RULE.id, task], limit: 9 });
}

/** The receiver gets the message about a task. */
async function send(task: string): Promise<void> {
  const sent = { state: 'delivered', dueAt: null } as const;
  for (const { id } of await told(task)) await changeDelivery(store.deliveries, id, () => sent);
}

/** Tasks fail, a hundred at a time, and the receiver gets the messages. */
async function fail(hundreds: number): Promise<void> {
  for (let n = 0; n < hundreds; n += 1) {
    const tasks = Array.from({ length: 100 }, (_, m) => `other-${n}-${m}`);
    await look(tasks, 'failed');
    for (const task of tasks) await send(task);
  }
}

describe('behind the newest 500 messages of a rule', () => {
  it('one that is to be sent stays, and one that was delivered goes', async () => {
    await look(['sent'], 'failed');
    await send('sent');
    await look(['waits'], 'failed');
    await fail(6);
    expect(await told('waits')).toMatchObject([{ state: 'pending' }]);
    expect(await told('sent')).toEqual([]);
    expect(await store.deliveries.list({ ...OF_RULE, limit: 600 })).toHaveLength(501);
  });

  it('one stays whose end is to be told, and goes once that is to be sent', async () => {
    await look(['stands'], 'stuck');
    await send('stands');
    await fail(6);
    await look(['stands'], 'stuck', 2);
    expect(await told('stands')).toMatchObject([{ phase: 'firing', isOpen: true }]);
    await look(['stands'], null, 3);
    expect(await told('stands')).toMatchObject([{ phase: 'resolved', state: 'pending' }]);
  });

  it('those of an earlier rule of the name go', async () => {
    const earlier = sampleDelivery('1', { ruleId: 'earlier', createdAt: clock.now() - 1 });
    await store.deliveries.put(earlier, null);
    await fail(6);
    expect(await store.deliveries.get('1')).toBeNull();
  });

  it('they go by age where there are ten thousand', async () => {
    for (let n = 0; n < 10_100; n += 1) {
      const createdAt = clock.now() - 20_000 + n;
      await store.deliveries.put(sampleDelivery(`${n}`, { createdAt }), null);
    }
    await look(['last'], 'failed');
    const [oldest, ...more] = await store.deliveries.list({ ...OF_RULE, limit: 20_000 });
    expect([oldest?.id, more.length]).toEqual(['101', 9_999]);
  });

  it('no more is read than was pushed out', async () => {
    const { list } = store.deliveries;
    let read = 0;
    await fail(6);
    store.deliveries.list = async (query) => {
      const page = await list(query);
      if (query.index === 'rule') read += page.length;
      return page;
    };
    await look(['a'], 'failed');
    await look(['b'], 'failed');
    expect(read).toBe(2);
  });
});
