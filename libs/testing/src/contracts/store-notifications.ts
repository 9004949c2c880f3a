import assert from 'node:assert/strict';
import { NOTIFICATION_KINDS } from '#ports';
import type { DeliveryRecord, NotificationChannel, NotificationRecord } from '#ports';
import { SAMPLE_TIME } from './sample-task.js';
import type { StoreRule } from './store-fixture.js';

/** A rule that has everything, as it may be stored. */
export function sampleNotification(
  name: string,
  more: Partial<NotificationRecord> = {},
): NotificationRecord {
  return {
    name,
    id: `id of ${name}`,
    revision: 1,
    generation: 1,
    order: {
      on: ['failed', 'backlog'],
      q: 'flow:gr\u00f6\u00dfe text:"$x \ud800"',
      channel: { type: 'webhook', url: 'https://example.org/$a', secret: 'v1.x' },
      throttleMs: 60_000,
    },
    scope: { flows: ['a-*'], labels: { 'a.$b': '' } },
    since: 7,
    createdAt: SAMPLE_TIME,
    updatedAt: SAMPLE_TIME + 1,
    updatedBy: 'ann',
    quietUntil: 0,
    ...more,
  };
}

/** A message, as it may be stored. */
export function sampleDelivery(id: string, more: Partial<DeliveryRecord> = {}): DeliveryRecord {
  return {
    id,
    revision: 1,
    rule: 'on-call',
    ruleId: 'id of on-call',
    kind: 'failed',
    subject: 'task-1',
    episode: 1,
    key: '',
    mark: 3,
    phase: 'firing',
    of: null,
    isOpen: true,
    message: 'no host \ud800',
    flow: 'gr\u00f6\u00dfe',
    state: 'pending',
    counted: 0,
    isCarrier: false,
    attempts: 0,
    lastError: null,
    createdAt: SAMPLE_TIME,
    deliveredAt: null,
    dueAt: SAMPLE_TIME,
    ...more,
  };
}

/** The next document of either. */
function after<T extends { readonly revision: number }>(record: T, more: Partial<T> = {}): T {
  return { ...record, ...more, revision: record.revision + 1 };
}

function idsOf(records: readonly DeliveryRecord[]): readonly string[] {
  return records.map(({ id }) => id);
}

/** Rules of the rules of notifications. */
export function describeNotifications(rule: StoreRule): void {
  rule('a stored notification is found as it was written, also after a restart', async (store) => {
    const record = sampleNotification('on-call');
    assert.equal(await store.notifications.find('on-call'), null);
    assert.equal(await store.notifications.save(record, null), true);
    assert.deepEqual(await store.notifications.find('on-call'), record);
    assert.deepEqual(await (await store.reopen()).notifications.find('on-call'), record);
  });

  rule('a notification about every fact is found, whatever its channel', async (store) => {
    const channels: readonly NotificationChannel[] = [
      { type: 'webhook', url: 'https://example.org' },
      { type: 'slack', url: 'https://example.org' },
      { type: 'pagerduty', routingKey: 'v1.x', url: 'https://example.org' },
      { type: 'email', server: 'smtp://example.org', from: 'a@example.org', to: ['b@example.org'] },
    ];
    for (const channel of channels) {
      const order = { on: NOTIFICATION_KINDS, q: null, channel, throttleMs: 0 };
      const record = sampleNotification(channel.type, { order });
      assert.equal(await store.notifications.save(record, null), true);
      assert.deepEqual(await store.notifications.find(channel.type), record);
    }
  });

  rule('of many that write one notification at one revision one wins', async (store) => {
    const { notifications } = store;
    const record = sampleNotification('on-call');
    const firsts = await Promise.all([1, 2, 3].map(() => notifications.save(record, null)));
    assert.deepEqual(firsts.filter(Boolean), [true]);
    const rivals = ['a', 'b', 'c'].map((updatedBy) => {
      return notifications.save(after(record, { updatedBy }), record);
    });
    assert.deepEqual((await Promise.all(rivals)).filter(Boolean), [true]);
    assert.equal(await notifications.remove('on-call', record), false);
    const other = { id: 'other', revision: 2 };
    assert.equal(await notifications.save(after(record), other), false);
    assert.equal(await notifications.remove('on-call', { ...record, revision: 2 }), true);
    assert.equal(await notifications.find('on-call'), null);
  });

  rule('notifications are listed by their names, page by page', async ({ notifications }) => {
    const names = ['b', 'a', 'B', 'c', 'a-1'];
    for (const name of names) await notifications.save(sampleNotification(name), null);
    const all = await notifications.list({ limit: 10 });
    assert.deepEqual(
      all.map(({ name }) => name),
      names.toSorted(),
    );
    const [next] = await notifications.list({ after: 'a', limit: 1 });
    assert.equal(next?.name, 'a-1');
  });

  rule('the position of notifications moves on and never back', async (store) => {
    assert.equal(await store.notifications.position(), 0);
    await Promise.all([5, 9, 7].map((position) => store.notifications.moveTo(position)));
    await store.notifications.moveTo(8);
    assert.equal(await (await store.reopen()).notifications.position(), 9);
  });
}

/** Rules of messages. */
export function describeDeliveries(rule: StoreRule): void {
  rule('a delivery is stored once, and each revision by one', async (store) => {
    const { deliveries } = store;
    const first = sampleDelivery('one');
    const adds = await Promise.all([1, 2, 3].map(() => deliveries.add(first)));
    assert.deepEqual(adds.filter(Boolean), [true]);
    const next = after(first, { state: 'delivered', dueAt: null, isOpen: false });
    const saves = await Promise.all([1, 2, 3].map(() => deliveries.save(next)));
    assert.deepEqual(saves.filter(Boolean), [true]);
    assert.equal(await deliveries.save(after(sampleDelivery('none'))), false);
    assert.deepEqual(await (await store.reopen()).deliveries.find('one'), next);
  });

  rule('due deliveries are found, the earliest first, and settled ones not', async (store) => {
    const { deliveries } = store;
    const dues = [30, 10, 20, null].map((ms) => (ms === null ? null : SAMPLE_TIME + ms));
    for (const [n, dueAt] of dues.entries())
      await deliveries.add(sampleDelivery(`${n}`, { dueAt }));
    assert.deepEqual(idsOf(await deliveries.findDue(SAMPLE_TIME + 20, 5)), ['1', '2']);
    assert.deepEqual(idsOf(await deliveries.findDue(SAMPLE_TIME + 99, 1)), ['1']);
    await deliveries.save(after(sampleDelivery('1', { dueAt: null })));
    assert.deepEqual(idsOf(await deliveries.findDue(SAMPLE_TIME + 20, 5)), ['2']);
  });

  rule('open deliveries are found by what they are about', async ({ deliveries }) => {
    await deliveries.add(sampleDelivery('a', { subject: 'x' }));
    await deliveries.add(sampleDelivery('b', { subject: 'x', isOpen: false }));
    await deliveries.add(sampleDelivery('c', { subject: 'y', ruleId: 'other' }));
    await deliveries.add(sampleDelivery('d', { subject: 'z' }));
    const open = await deliveries.findOpen(['x', 'y', 'none']);
    assert.deepEqual(idsOf(open).toSorted(), ['a', 'c']);
    assert.deepEqual(await deliveries.findOpen([]), []);
    assert.deepEqual(idsOf(await deliveries.about('id of on-call', 'x')).toSorted(), ['a', 'b']);
    await deliveries.save(after(sampleDelivery('a', { subject: 'x', isOpen: false })));
    assert.deepEqual(idsOf(await deliveries.findOpen(['x'])), []);
  });

  rule('deliveries of a rule are listed newest first, and the oldest removed', async (store) => {
    const { deliveries } = store;
    for (const n of [1, 2, 3, 4, 5]) {
      const createdAt = SAMPLE_TIME + Math.floor(n / 2);
      await deliveries.add(sampleDelivery(`${n}`, { createdAt }));
    }
    await deliveries.add(sampleDelivery('else', { rule: 'other' }));
    const all = await deliveries.list({ rule: 'on-call', limit: 9 });
    assert.deepEqual(idsOf(all), ['5', '4', '3', '2', '1']);
    const rest = await deliveries.list({ rule: 'on-call', after: all[1], limit: 2 });
    assert.deepEqual(idsOf(rest), ['3', '2']);
    await deliveries.prune('on-call', 2);
    assert.deepEqual(idsOf(await deliveries.list({ rule: 'on-call', limit: 9 })), ['5', '4']);
    assert.deepEqual(idsOf(await deliveries.list({ rule: 'other', limit: 9 })), ['else']);
  });
}
