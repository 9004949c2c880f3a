import assert from 'node:assert/strict';
import type { JsonObject } from '#core';
import type { DeliveryVerdict, StepTransport } from '#ports';
import { DEADLINE_MS, within } from '../deadline.js';
import { Gate, Inbox } from '../inbox.js';
import { testRunner } from './runner.js';
import { freshModule, stepDispatch } from './step-dispatch.js';
import { describeClose, describeProcesses, describeStop } from './step-transport-end.js';
import { describeOrder } from './step-transport-order.js';
import type { Rule, TransportFixture } from './transport-fixture.js';

/** The contract of every step transport; an adapter's spec is a call of this. */
export function stepTransportContract(name: string, open: () => Promise<TransportFixture>): void {
  const { describe, it } = testRunner();
  const rule: Rule = (ruleName, body) => {
    const run = async (): Promise<void> => {
      const fixture = await open();
      try {
        await body(fixture.transport, fixture);
      } finally {
        await within('the fixture is disposed of', fixture.dispose());
      }
    };
    it(ruleName, run, 3 * DEADLINE_MS);
  };
  describe(`step transport contract: ${name}`, () => {
    describeDelivery(rule);
    describeContent(rule);
    describeVerdicts(rule);
    describeConcurrency(rule);
    describeOrder(rule);
    describeStop(rule);
    describeClose(rule);
    describeProcesses(rule);
  });
}

function describeDelivery(rule: Rule): void {
  rule('a message that was published before anybody consumes is delivered', async (transport) => {
    const module = freshModule();
    const inbox = new Inbox();
    await transport.publish([stepDispatch(module, 'a')]);
    await transport.consume(module, 1, inbox.handler);
    await inbox.gets('a');
  });

  rule(
    'a message that may be lost with the broker is delivered while it lives',
    async (transport) => {
      const module = freshModule();
      const inbox = new Inbox((_dispatch, nth): DeliveryVerdict => (nth === 2 ? 'later' : 'ack'));
      await transport.publish([stepDispatch(module, 'a')], { mayBeLost: true });
      await transport.consume(module, 1, inbox.handler);
      await inbox.gets('a');
      const rest = ['b', 'c', 'd'].map((step) => stepDispatch(module, step));
      await transport.publish(rest, { mayBeLost: true });
      await inbox.countsSteps(4);
      // One was given back, and comes again.
      await inbox.counts(5);
    },
  );

  rule('each message goes to the queue of its own module', async (transport) => {
    const [here, there] = [freshModule(), freshModule()];
    const [hereInbox, thereInbox] = [new Inbox(), new Inbox()];
    await transport.consume(here, 4, hereInbox.handler);
    await transport.consume(there, 4, thereInbox.handler);
    await transport.publish([stepDispatch(here, 'a'), stepDispatch(there, 'b')]);
    await Promise.all([hereInbox.gets('a'), thereInbox.gets('b')]);
    assert.deepEqual([hereInbox.steps, thereInbox.steps], [['a'], ['b']]);
  });

  rule('a large publish arrives as a whole', async (transport) => {
    const module = freshModule();
    const inbox = new Inbox();
    const steps = Array.from({ length: 2_500 }, (_, n) => `s${n}`);
    await transport.consume(module, 64, inbox.handler);
    await transport.publish(steps.map((step) => stepDispatch(module, step)));
    await inbox.countsSteps(steps.length);
    assert.deepEqual([...new Set(inbox.steps)].sort(), [...steps].sort());
  });

  rule('publishing nothing is fine', (transport) => transport.publish([]));

  rule('a handler may publish, to its own module too', async (transport) => {
    const module = freshModule();
    const inbox = new Inbox(async ({ message }): Promise<DeliveryVerdict> => {
      if (message.step !== 'a') return 'ack';
      await transport.publish([stepDispatch(module, 'b')]);
      return 'ack';
    });
    await transport.consume(module, 1, inbox.handler);
    await transport.publish([stepDispatch(module, 'a')]);
    await inbox.gets('b');
  });

  rule('the depth of a queue counts what waits', async (transport) => {
    const module = freshModule();
    const before = await transport.depth(module);
    assert.ok(before === 0 || before === null, `${before}`);
    await transport.publish([stepDispatch(module, 'a'), stepDispatch(module, 'b')]);
    await reachesDepth(transport, module, 2);
  });

  rule('a transport with its broker is ready', async (transport) => {
    await transport.ping();
    assert.equal(transport.obstacle, null);
  });
}

function describeContent(rule: Rule): void {
  const parameters = JSON.parse(
    '{"name":"größe €","n":[1,-3e10,null,true],"__proto__":{"polluted":1},"deep":{"a":{"b":[]}}}',
  ) as JsonObject;
  const retry = {
    attempts: 3,
    backoff: 'exponential',
    delay: 1,
    maxDelay: 60,
    jitter: true,
  } as const;

  rule('every field arrives as it was sent', async (transport) => {
    const module = freshModule();
    const inbox = new Inbox();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const message = { parameters, retry, type: 1, cursor: 7, attempt: 3, timeout: 1.5 } as const;
    const sent = stepDispatch(module, 'a', { message, priority: 12, traceparent });
    await transport.consume(module, 1, inbox.handler);
    await transport.publish([sent, stepDispatch(module, 'b')]);
    await inbox.countsSteps(2);
    const received = inbox.received.find((dispatch) => dispatch.message.step === 'a');
    assert.deepEqual(received, sent);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });

  rule('a message may be large', async (transport) => {
    const module = freshModule();
    const inbox = new Inbox();
    const sent = stepDispatch(module, 'a', {
      message: { parameters: { text: 'é'.repeat(200_000) } },
    });
    await transport.consume(module, 1, inbox.handler);
    await transport.publish([sent]);
    await inbox.gets('a');
    assert.deepEqual(inbox.received[0], sent);
  });
}

function describeVerdicts(rule: Rule): void {
  rule('an acknowledged message does not come back', async (transport) => {
    const module = freshModule();
    const [first, second] = [new Inbox(), new Inbox()];
    const consumer = await transport.consume(module, 1, first.handler);
    await transport.publish([stepDispatch(module, 'a')]);
    await first.gets('a');
    await consumer.stop();
    await transport.consume(module, 1, second.handler);
    await transport.publish([stepDispatch(module, 'b')]);
    await second.gets('b');
    assert.deepEqual(second.steps, ['b']);
  });

  rule('a message for later comes again, after growing waits', async (transport) => {
    const module = freshModule();
    const times: number[] = [];
    const inbox = new Inbox((_dispatch, nth) => {
      times.push(performance.now());
      return nth < 4 ? 'later' : 'ack';
    });
    await transport.consume(module, 1, inbox.handler);
    await transport.publish([stepDispatch(module, 'a')]);
    await inbox.counts(4);
    const [first = 0, , , fourth = 0] = times;
    assert.ok(fourth - first > 250, `three waits took ${fourth - first} ms`);
  });

  rule('a message that one consumer cannot take goes to another', async (transport) => {
    const module = freshModule();
    const [full, free] = [new Inbox(() => 'later'), new Inbox()];
    await transport.consume(module, 1, full.handler);
    await transport.publish([stepDispatch(module, 'a')]);
    await full.gets('a');
    await transport.consume(module, 1, free.handler);
    await free.gets('a');
  });

  rule('a message whose handler fails is not lost', async (transport) => {
    const module = freshModule();
    const inbox = new Inbox((_dispatch, nth) => {
      if (nth === 1) throw new Error('handlers must not fail');
      return 'ack';
    });
    await transport.consume(module, 1, inbox.handler);
    await transport.publish([stepDispatch(module, 'a')]);
    await inbox.counts(2);
  });
}

function describeConcurrency(rule: Rule): void {
  rule('no more messages are in hand than the concurrency allows', async (transport) => {
    const module = freshModule();
    const gate = new Gate();
    const inbox = new Inbox(() => gate.passed.then(() => 'ack'));
    await transport.consume(module, 3, inbox.handler);
    await transport.publish(['a', 'b', 'c', 'd', 'e'].map((step) => stepDispatch(module, step)));
    await inbox.counts(3);
    gate.open();
    await inbox.countsSteps(5);
    assert.equal(inbox.mostInHand, 3);
  });

  rule('two consumers of a module share its messages', async (transport) => {
    const module = freshModule();
    const gate = new Gate();
    const judge = (): Promise<'ack'> => gate.passed.then(() => 'ack');
    const [one, two] = [new Inbox(judge), new Inbox(judge)];
    await transport.consume(module, 1, one.handler);
    await transport.consume(module, 1, two.handler);
    await transport.publish([stepDispatch(module, 'a'), stepDispatch(module, 'b')]);
    await Promise.all([one.counts(1), two.counts(1)]);
    gate.open();
  });
}

/** A broker may tell its figures late, and a transport may keep them for a moment. */
async function reachesDepth(
  transport: StepTransport,
  module: string,
  depth: number,
): Promise<void> {
  const end = performance.now() + DEADLINE_MS;
  for (;;) {
    const told = await transport.depth(module);
    if (told === depth) return;
    assert.ok(performance.now() < end, `the depth is ${told}, not ${depth}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
