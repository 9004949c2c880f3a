import assert from 'node:assert/strict';
import { TransportUnavailable } from '#ports';
import { within } from '../deadline.js';
import { Gate, Inbox } from '../inbox.js';
import { freshModule, stepDispatch } from './step-dispatch.js';
import type { Rule } from './transport-fixture.js';

/** Rules of a consumer that stops. */
export function describeStop(rule: Rule): void {
  rule('stopping waits for the messages in hand and leaves the others', async (transport) => {
    const module = freshModule();
    const gate = new Gate();
    const busy = new Inbox(() => gate.passed.then(() => 'ack'));
    const consumer = await transport.consume(module, 1, busy.handler);
    await transport.publish([stepDispatch(module, 'a'), stepDispatch(module, 'b')]);
    await busy.counts(1);
    let answered = false;
    const stopped = consumer.stop().then(() => assert.ok(answered, 'stopped with work in hand'));
    const again = consumer.stop();
    setImmediate(() => {
      answered = true;
      gate.open();
    });
    await within('the consumer stops', Promise.all([stopped, again]));
    const rest = new Inbox();
    await transport.consume(module, 1, rest.handler);
    await rest.counts(1);
    assert.deepEqual([...busy.steps, ...rest.steps].sort(), ['a', 'b']);
  });

  rule('a stopping consumer gives back at once what it cannot take', async (transport) => {
    const module = freshModule();
    const gate = new Gate();
    const busy = new Inbox(() => gate.passed.then(() => 'later'));
    const consumer = await transport.consume(module, 1, busy.handler);
    await transport.publish([stepDispatch(module, 'a')]);
    await busy.counts(1);
    const stopped = consumer.stop();
    gate.open();
    await within('the consumer stops', stopped);
    const rest = new Inbox();
    await transport.consume(module, 1, rest.handler);
    await rest.gets('a');
    assert.equal(busy.received.length, 1);
  });
}

/** Rules of a transport that closes. */
export function describeClose(rule: Rule): void {
  rule('a closed transport refuses at once', async (transport) => {
    const module = freshModule();
    await transport.close();
    const refused = [
      transport.publish([stepDispatch(module, 'a')]),
      transport.consume(module, 1, new Inbox().handler),
      transport.ping(),
    ];
    for (const call of refused) await within('refused', assert.rejects(call, TransportUnavailable));
    assert.ok(transport.obstacle instanceof TransportUnavailable);
    assert.equal(await transport.depth(module), null);
  });

  rule('closing waits for nobody, may be repeated, and ends every consumer', async (transport) => {
    const module = freshModule();
    const gate = new Gate();
    const inbox = new Inbox(() => gate.passed.then(() => 'ack'));
    const consumer = await transport.consume(module, 1, inbox.handler);
    await transport.publish([stepDispatch(module, 'a'), stepDispatch(module, 'b')]);
    await inbox.counts(1);
    await within('closed', Promise.all([transport.close(), transport.close()]), 5_000);
    gate.open();
    await within('the consumer stops', consumer.stop());
    assert.equal(inbox.received.length, 1);
  });
}

/** Rules that need two transports on one broker. */
export function describeProcesses(rule: Rule): void {
  rule(
    'another process gets what this one had in hand when it closed',
    async (transport, fixture) => {
      const other = await fixture.openAnother?.();
      if (other === undefined) return;
      const module = freshModule();
      const gate = new Gate();
      const [lost, found] = [new Inbox(() => gate.passed.then(() => 'ack')), new Inbox()];
      await transport.consume(module, 2, lost.handler);
      await transport.publish([stepDispatch(module, 'a'), stepDispatch(module, 'b')]);
      await lost.counts(2);
      await transport.close();
      gate.open();
      await other.consume(module, 2, found.handler);
      await found.countsSteps(2);
    },
  );
}
