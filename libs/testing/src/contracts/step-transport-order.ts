import assert from 'node:assert/strict';
import type { Dispatch } from '#core';
import type { DeliveryVerdict, StepTransport } from '#ports';
import { Gate, Inbox } from '../inbox.js';
import { freshModule, stepDispatch } from './step-dispatch.js';
import type { Rule } from './transport-fixture.js';

/** A moment at which messages are queued, in milliseconds. */
const NOW = 1_763_700_000_000;
const SLOTS = 4;
const EACH = 30;
/** Backlogs of which one has to be worked off in the right order. */
const TRIES = 4;

/** Rules of who comes first. */
export function describeOrder(rule: Rule): void {
  rule('of the messages that wait the more urgent come first', async (transport) => {
    const found: string[] = [];
    // A broker that is slow to hand out one queue disturbs the order of a single backlog.
    while (found.length < TRIES) {
      const { high, low, normal } = await meanPlaces(transport);
      if (high + EACH / 3 < normal && normal < low) return;
      found.push(`high ${high}, normal ${normal}, low ${low}`);
    }
    assert.fail(found.join('; '));
  });

  rule('urgent messages overtake a backlog that is being worked off', async (transport) => {
    const module = freshModule();
    for (const [kind, priority] of Object.entries({ low: -100, normal: 0 })) {
      const all = Array.from({ length: 40 }, (_, n) => queued(module, `${kind}-${n}`, priority));
      await transport.publish(all);
    }
    const urgent = Array.from({ length: 15 }, (_, n) => queued(module, `high-${n}`, 100));
    const meanwhile = (answered: number): unknown => answered === 10 && transport.publish(urgent);
    const steps = await workedOff(transport, module, { count: 95, meanwhile });
    const last = steps.findLastIndex((step) => step.startsWith('high'));
    assert.ok(last < 60, `the last urgent one came at place ${last}`);
  });

  rule('none waits for ever behind more urgent ones that keep coming', async (transport) => {
    const module = freshModule();
    await transport.publish([queued(module, 'low', -100), queued(module, 'normal', 0)]);
    // Each is queued ten seconds after the one before: in the end it is later than the others.
    const urgent = Array.from({ length: 100 }, (_, n) => {
      return stepDispatch(module, `high-${n}`, { priority: 10, orderAt: NOW + (n - 1) * 10_000 });
    });
    await transport.publish(urgent);
    const steps = await workedOff(transport, module, { count: 102 });
    for (const step of ['low', 'normal']) {
      assert.ok(steps.indexOf(step) < 70, `${step} came at place ${steps.indexOf(step)}`);
    }
  });

  rule('the depth of a queue counts messages of every priority', async (transport) => {
    const module = freshModule();
    await transport.publish([-1, 0, 1].map((priority) => queued(module, `p${priority}`, priority)));
    while ((await transport.depth(module)) !== 3) await pause();
  });

  rule('a priority that is new to a running consumer reaches it', async (transport, fixture) => {
    const other = (await fixture.openAnother?.()) ?? transport;
    const module = freshModule();
    const inbox = new Inbox();
    await transport.consume(module, 2, inbox.handler);
    await other.publish([queued(module, 'high', 5)]);
    await inbox.gets('high');
    await transport.publish([queued(module, 'low', -5)]);
    await inbox.gets('low');
    await other.publish([queued(module, 'normal', 0)]);
    await inbox.gets('normal');
    assert.equal(inbox.received.length, 3);
  });

  rule('stopping leaves what waits, of every priority', async (transport) => {
    const module = freshModule();
    const gate = new Gate();
    const busy = new Inbox(() => gate.passed.then(() => 'ack'));
    await transport.publish([-1, 0, 1].map((priority) => queued(module, `p${priority}`, priority)));
    const consumer = await transport.consume(module, 1, busy.handler);
    await busy.counts(1);
    const stopped = consumer.stop();
    gate.open();
    await stopped;
    const rest = new Inbox();
    await transport.consume(module, 1, rest.handler);
    await rest.counts(2);
    assert.deepEqual([...busy.steps, ...rest.steps].sort(), ['p-1', 'p0', 'p1']);
  });
}

/** On average, at which place messages of each kind come when a backlog of all is worked off. */
async function meanPlaces(transport: StepTransport) {
  const module = freshModule();
  const kinds = { low: -100, normal: 0, high: 100 };
  for (const [kind, priority] of Object.entries(kinds)) {
    const all = Array.from({ length: EACH }, (_, n) => queued(module, `${kind}-${n}`, priority));
    await transport.publish(all);
  }
  const steps = await workedOff(transport, module, { count: 3 * EACH });
  const place = (kind: string): number => {
    const places = steps.flatMap((step, at) => (step.startsWith(kind) ? [at] : []));
    return places.reduce((sum, at) => sum + at, 0) / places.length;
  };
  return { high: place('high'), normal: place('normal'), low: place('low') };
}

/** A message that was queued at `NOW`. */
function queued(module: string, step: string, priority: number): Dispatch {
  return stepDispatch(module, step, { priority, orderAt: NOW - priority * 1_000 });
}

/**
 * Steps in the order of their delivery to a process whose slots are all in use and become free one
 * after another, each when the broker has had time to deliver what comes next.
 */
async function workedOff(
  transport: StepTransport,
  module: string,
  work: { readonly count: number; readonly meanwhile?: (answered: number) => unknown },
): Promise<readonly string[]> {
  const hands: Gate[] = [];
  const inbox = new Inbox(async (): Promise<DeliveryVerdict> => {
    const hand = new Gate();
    hands.push(hand);
    await hand.passed;
    return 'ack';
  });
  await transport.consume(module, SLOTS, inbox.handler);
  const { count, meanwhile } = work;
  for (let answered = 0; answered < count; answered += 1) {
    await meanwhile?.(answered);
    await inbox.counts(Math.min(answered + SLOTS, count));
    await transport.ping();
    hands[answered]?.open();
  }
  return inbox.steps;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}
