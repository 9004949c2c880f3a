import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DeliveryRecord } from '#ports';
import { ManualClock, MemoryStore, RecordingObserver } from '#testing';
import { sampleDelivery, sampleNotification } from '#testing';
import { Courier } from './courier.js';

const RULE = sampleNotification('on-call');
const QUIET_MS = RULE.order.throttleMs;

let clock: ManualClock;
let store: MemoryStore;
let sent: DeliveryRecord[];
let courier: Courier;
beforeEach(async () => {
  clock = new ManualClock();
  store = new MemoryStore();
  sent = [];
  const { deliveries, notifications } = store;
  const observer = new RecordingObserver();
  const sender = { send: async (_: unknown, told: DeliveryRecord) => void sent.push(told) };
  courier = new Courier({ clock, deliveries, notifications, observer, sender });
  await notifications.put(RULE, null);
});

async function add(id: string, more: Partial<DeliveryRecord> = {}): Promise<void> {
  await store.deliveries.put(sampleDelivery(id, { createdAt: clock.now(), ...more }), null);
}

describe('a message of a rule with a quiet time', () => {
  it('counts a thousand others, and the next one counts the next', async () => {
    for (let n = 0; n < 2_500; n += 1) await add(`${n}`);
    for (let n = 0; n < 12; n += 1) {
      await courier.tick();
      await clock.advance(QUIET_MS / 2);
    }
    expect(sent.map(({ counted }) => counted)).toEqual([1_000, 1_000, 497]);
  });
});

describe('the end of something', () => {
  it.each([
    ['is told where its beginning is too old to be kept', null, 1],
    ['is told where its beginning was', 'delivered', 1],
    ['is not told where another message counts its beginning', 'counted', 0],
  ] as const)('%s', async (_how, state, count) => {
    if (state !== null) await add('began', { state, dueAt: null });
    await add('end', { phase: 'resolved', of: 'began', isOpen: false });
    await courier.tick();
    expect(sent).toHaveLength(count);
  });
});
