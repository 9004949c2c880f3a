import { beforeEach, describe, expect, it } from '@jest/globals';
import { type DeliveryRecord, type NotificationRecord, StoreUnavailable } from '#ports';
import { ManualClock, MemoryStore, RecordingObserver } from '#testing';
import { sampleDelivery, sampleNotification } from '#testing';
import { Courier, NotSent } from './courier.js';

const RULE = sampleNotification('on-call');
const QUIET_MS = RULE.order.throttleMs;
/** So long others wait for a claim. */
const CLAIM_MS = 30_000;

interface Writable {
  put(next: never, previous: never): Promise<boolean>;
}

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

const away = () => Promise.reject(new StoreUnavailable('away'));
const refused = async () => false;

/** One write of these records fails, after those that go well. */
function failOnce(records: Writable, answer: () => Promise<boolean>, after = 0): void {
  const { put } = records;
  let left = after;
  records.put = async (next: never, previous: never) => {
    left -= 1;
    if (left >= 0) return put(next, previous);
    records.put = put;
    return answer();
  };
}

/** Sends what is due, for so long; tells after which time there was a message. */
async function times(forMs: number): Promise<readonly number[]> {
  const from = clock.now();
  const found: number[] = [];
  while (clock.now() - from < forMs) {
    const before = sent.length;
    await courier.tick().catch(() => undefined);
    if (sent.length > before) found.push(clock.now() - from);
    await clock.advance(5_000);
  }
  return found;
}

it('a receiver that takes nothing holds up no other rule with all of its messages', async () => {
  const busy = sampleNotification('busy', { order: { ...RULE.order, throttleMs: 0 } });
  await store.notifications.put(busy, null);
  for (let n = 0; n < 200; n += 1) {
    await add(`b${n}`, { rule: 'busy', ruleId: busy.id, dueAt: clock.now() - 1 });
  }
  await add('late', { dueAt: clock.now() });
  let tries = 0;
  const { deliveries, notifications } = store;
  const observer = new RecordingObserver();
  const send = async ({ name }: NotificationRecord, told: DeliveryRecord) => {
    if (name !== 'busy') return void sent.push(told);
    tries += 1;
    throw new NotSent('no answer within 10 s');
  };
  await new Courier({ clock, deliveries, notifications, observer, sender: { send } }).tick();
  expect([sent.map(({ id }) => id), tries]).toEqual([['late'], 20]);
});

describe('a message of a rule with a quiet time', () => {
  it('keeps others back for all of it', async () => {
    await add('1');
    expect(await times(5_000)).toEqual([0]);
    await add('2');
    expect(await times(2 * QUIET_MS)).toEqual([QUIET_MS - 5_000]);
  });

  it.each([
    ['where the store is away', away],
    ['where another process changes it', refused],
  ])('keeps others back for as long as a claim lasts %s meanwhile', async (_where, answer) => {
    await add('1');
    failOnce(store.deliveries, answer);
    expect(await times(2 * QUIET_MS)).toEqual([CLAIM_MS]);
  });

  it.each([
    ['the store is away', away],
    ['somebody changes the rule', refused],
  ])('is sent once it is claimed, also where %s', async (_where, answer) => {
    await add('1');
    failOnce(store.notifications, answer, 1);
    expect(await times(2 * QUIET_MS)).toEqual([0]);
  });

  it('is not sent where another process is before it', async () => {
    await add('1');
    failOnce(store.notifications, refused);
    await courier.tick();
    expect(await store.deliveries.get('1')).toMatchObject({ attempts: 0, isCarrier: false });
  });

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
