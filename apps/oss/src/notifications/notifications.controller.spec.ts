import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LightMyRequestResponse } from 'fastify';
import { SMTPServer } from 'smtp-server';
import { makeKey, TextSeal } from '#access';
import { TASK_STATUS } from '#core';
import { approvalsAsked } from '#core/stored';
import { newSecret } from '#machine';
import { signWebhook } from '#outbound';
import type { NotificationChannel } from '#ports';
import { chain, fails, flow, sampleDelivery, sampleSchedule, settle } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
import { CHANNEL_KEYS, Gateway } from '../gateway-spec.js';
import type { OssOptions } from '../options.js';
import { ChannelSecrets } from './channel-secrets.js';
import { notificationTick } from './notification-rounds.js';
import type { PublicDelivery, PublicNotification } from './notification.presenter.js';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  readonly body: Record<string, unknown>;
}

let gateway: Gateway;
let receiver: Server;
let received: Received[];
let answer: number;
let tick: () => Promise<void>;
beforeEach(async () => {
  received = [];
  answer = 200;
  receiver = createServer((request, response) => void take(request, response));
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  await open();
});
afterEach(async () => {
  await gateway.close();
  receiver.closeAllConnections();
  receiver.close();
});

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const raw = await text(request);
  const body = JSON.parse(raw) as Received['body'];
  received.push({ headers: request.headers, raw, body });
  response.writeHead(answer).end();
}

const CHAIN = chain(['a', 'b']);
const APPROVE = { title: 'Go on?', roles: [], timeoutMs: null, onTimeout: 'fail' } as const;

/** Flows of which a task ends, stands still at its second step, or asks a person. */
const FLOWS = [
  CHAIN,
  { ...CHAIN, name: 'holding', onFailure: { holdMs: null } },
  flow([{ name: 'sure', needs: [], approve: APPROVE, rollback: null }], { name: 'asking' }),
  flow(
    ['one', 'two'].map((name) => {
      return { name, needs: [], approve: { ...APPROVE, title: `Go ${name}?` }, rollback: null };
    }),
    { name: 'asking-twice' },
  ),
];

async function open(options: { readonly asksForKeys?: boolean } = {}): Promise<void> {
  gateway = await Gateway.open(FLOWS, options);
  tick = notificationTick(gateway.options);
}

function url(path = '/in'): string {
  return `http://127.0.0.1:${(receiver.address() as AddressInfo).port}${path}`;
}

/** Nobody serves anything. */
const NO_EXECUTORS = { list: async () => [], seen: async () => [] };

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

function webhook(): object {
  return { type: 'webhook', url: url(), secret: SECRET };
}

async function put(
  name: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  return gateway.ask({ method: 'PUT', url: `/v1/notifications/${name}`, body, headers });
}

async function deliveries(name: string): Promise<readonly PublicDelivery[]> {
  const page = (await gateway.ask({ url: `/v1/notifications/${name}/deliveries` })).json();
  expect(misfits('DeliveryPage', page)).toEqual([]);
  return (page as { items: readonly PublicDelivery[] }).items;
}

/** A task of which the last step fails, and the way back as well. */
async function stuckTask(): Promise<string> {
  gateway.failRollback();
  const id = await gateway.create({ flow: 'test-flow' });
  while ((await gateway.world.task(id)).hold === null) await settle();
  return id;
}

async function failedTask(body: object = { flow: 'test-flow' }): Promise<string> {
  gateway.world.commands.scripts.set('m.b', () => fails());
  const id = await gateway.create(body);
  while ((await gateway.world.task(id)).endedAt === null) await settle();
  return id;
}

describe('a notification', () => {
  it('is stored, shown without its secrets, listed and removed', async () => {
    const stored = await put('on-call', { on: ['failed', 'stuck'], channel: webhook() });
    expect([stored.statusCode, stored.headers['etag']]).toEqual([201, '"1"']);
    const shown = stored.json() as PublicNotification;
    expect(misfits('Notification', shown)).toEqual([]);
    const { port } = receiver.address() as AddressInfo;
    const masked = { type: 'webhook', url: `http://127.0.0.1:${port}/***`, secret: '***' };
    expect(shown).toMatchObject({ name: 'on-call', on: ['failed', 'stuck'], channel: masked });
    const record = await gateway.world.store.notifications.get('on-call');
    expect(JSON.stringify(record)).not.toMatch(/whsec_|127\.0\.0\.1/);
    // The answer can be sent back as it was shown: the notification stays as it is.
    const again = await put('on-call', { on: ['failed', 'stuck'], channel: shown.channel });
    expect([again.statusCode, again.headers['etag']]).toEqual([200, '"1"']);
    const changed = await put('on-call', { on: ['failed'], channel: shown.channel });
    expect(changed.headers['etag']).toBe('"2"');
    const list = (await gateway.ask({ url: '/v1/notifications' })).json();
    expect(misfits('NotificationPage', list)).toEqual([]);
    const gone = await gateway.ask({ method: 'DELETE', url: '/v1/notifications/on-call' });
    expect(gone.statusCode).toBe(204);
    const none = await gateway.ask({ url: '/v1/notifications/on-call' });
    expect(none.json()).toMatchObject({ code: 'NOTIFICATION_NOT_FOUND' });
  });

  it('keeps no key by its mask where its messages are to go to another receiver', async () => {
    const key = 'integration-key-of-pagerduty';
    const pager = { type: 'pagerduty', routingKey: key };
    expect((await put('pager', { on: ['failed'], channel: pager })).statusCode).toBe(201);
    await put('hook', { on: ['failed'], channel: webhook() });
    const url = 'http://127.0.0.1:9/elsewhere';
    const moved = [
      ['pager', { ...pager, routingKey: '***', url }, '/channel/routingKey'],
      ['hook', { ...webhook(), secret: '***', url }, '/channel/secret'],
    ] as const;
    for (const [name, channel, pointer] of moved) {
      const refused = await put(name, { on: ['failed'], channel });
      expect(refused.json()).toMatchObject({ errors: [{ pointer, code: 'WRONG_CHANNEL' }] });
    }
    const whole = await put('pager', { on: ['failed'], channel: { ...pager, url } });
    expect(whole.statusCode).toBe(200);
    const shown = { ...pager, routingKey: '***', url };
    expect((await put('pager', { on: ['held'], channel: shown })).statusCode).toBe(200);
  });

  it('is sealed with the new key once it is stored again as it is', async () => {
    const channel = webhook() as unknown as NotificationChannel;
    await put('turned', { on: ['failed'], channel });
    const { notifications } = gateway.world.store;
    const made = await notifications.get('turned');
    if (made === null) throw new Error('it was not stored');
    const old = new TextSeal([CHANNEL_KEYS[1]], 'notification channels');
    const sealed = new ChannelSecrets(old, () => newSecret().secret).hide(channel, made.id);
    const order = { ...made.order, channel: sealed };
    await notifications.put({ ...made, order, revision: made.revision + 1 }, made);
    const again = await put('turned', { on: ['failed'], channel });
    expect([again.statusCode, again.headers['etag']]).toEqual([200, '"1"']);
    const turned = await notifications.get('turned');
    expect(turned?.order.channel).not.toEqual(sealed);
    await put('turned', { on: ['failed'], channel });
    expect(await notifications.get('turned')).toEqual(turned);
  });

  it.each([
    [{ on: [] }, 'INVALID_REQUEST', '/on'],
    [{ on: ['done'] }, 'INVALID_REQUEST', '/on'],
    [{ q: 'colour:red' }, 'INVALID_NOTIFICATION', '/q'],
    [{ throttle: '900h' }, 'INVALID_NOTIFICATION', '/throttle'],
    [{ channel: { type: 'pigeon' } }, 'INVALID_NOTIFICATION', '/channel/type'],
    [{ channel: { type: 'slack' } }, 'INVALID_NOTIFICATION', '/channel/url'],
    [{ channel: { type: 'slack', url: 'ftp://x' } }, 'INVALID_NOTIFICATION', '/channel/url'],
    [{ channel: { type: 'slack', url: 'https://x/***' } }, 'INVALID_NOTIFICATION', '/channel/url'],
    [{ channel: { type: 'email', server: 'smtp://x' } }, 'INVALID_NOTIFICATION', '/channel/from'],
  ])('that is not sound is refused: %j', async (more, code, pointer) => {
    const refused = await put('wrong', { on: ['failed'], channel: webhook(), ...more });
    expect(refused.json()).toMatchObject({ code });
    const { errors } = refused.json() as { errors: readonly { pointer: string }[] };
    expect(errors.map((error) => error.pointer)).toContain(pointer);
  });
});

describe('a message', () => {
  it('of a failed task is sent once, signed, and not of what was before', async () => {
    const before = await failedTask();
    await put('on-call', { on: ['failed'], channel: webhook() });
    const id = await failedTask();
    await tick();
    await tick();
    expect(received).toHaveLength(1);
    const [{ body, headers, raw }] = received as [Received];
    expect(body).toMatchObject({ kind: 'firing', on: 'failed', rule: 'on-call', counted: 0 });
    expect(body['task']).toEqual({ taskId: id, flow: 'test-flow' });
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${raw}`;
    expect(headers['webhook-signature']).toBe(signWebhook(SECRET, signed));
    expect(headers['webhook-id']).toBe(body['id']);
    expect(await deliveries('on-call')).toMatchObject([{ state: 'delivered', subject: id }]);
    expect(before).not.toBe(id);
  });

  it('says that it is over, by itself, and a second time is a new one', async () => {
    await put('on-call', { on: ['stuck'], channel: webhook() });
    const id = await stuckTask();
    await tick();
    expect(received.map(({ body }) => body['kind'])).toEqual(['firing']);
    const act = (verb: string) => gateway.post(`/v1/tasks/${id}:${verb}`, { reason: 'a test' });
    gateway.world.commands.scripts.delete('m.undo_a');
    await act('retry');
    while ((await gateway.world.task(id)).hold !== null) await settle();
    await tick();
    await tick();
    expect(received.map(({ body }) => body['kind'])).toEqual(['firing', 'resolved']);
    expect(received[1]?.body['of']).toBe(received[0]?.body['id']);
  });

  it.each([
    {
      on: 'held',
      flow: 'holding',
      message: 'A task of holding waits for a person: step b (m.b) failed: no host',
      answer: ['retry', { reason: 'a test' }],
    },
    {
      on: 'waiting',
      flow: 'asking',
      message: 'A task of asking waits for an approval: Go on?',
      answer: ['approve', { step: 'sure', comment: 'go' }],
    },
  ] as const)('tells that a task is $on, and that it is so no more', async (rule) => {
    await put('desk', { on: [rule.on], channel: webhook() });
    gateway.world.commands.scripts.set('m.b', () => fails('no host'));
    const id = await gateway.create({ flow: rule.flow });
    const isAsking = async (): Promise<boolean> => {
      const task = await gateway.world.task(id);
      return task.hold !== null || approvalsAsked(task).length > 0;
    };
    while (!(await isAsking())) await settle();
    for (let n = 0; n < 3; n += 1) await tick();
    const task = { taskId: id, flow: rule.flow };
    const firing = { kind: 'firing', on: rule.on, message: rule.message, task };
    expect(received.map(({ body }) => body)).toMatchObject([firing]);
    gateway.world.commands.scripts.delete('m.b');
    const [verb, body] = rule.answer;
    expect((await gateway.post(`/v1/tasks/${id}:${verb}`, body)).statusCode).toBe(200);
    while ((await gateway.world.task(id)).endedAt === null) await settle();
    for (let n = 0; n < 3; n += 1) await tick();
    const of = received[0]?.body['id'];
    const resolved = { kind: 'resolved', on: rule.on, task, of };
    expect(received.map(({ body }) => body)).toMatchObject([firing, resolved]);
  });

  it('tells of each approval that a task waits for, and of the end of each', async () => {
    await put('desk', { on: ['waiting'], channel: webhook() });
    const id = await gateway.create({ flow: 'asking-twice' });
    while (approvalsAsked(await gateway.world.task(id)).length < 2) await settle();
    for (let n = 0; n < 3; n += 1) await tick();
    const ask = (name: string) => `A task of asking-twice waits for an approval: Go ${name}?`;
    const sent = () => received.map(({ body }) => [body['kind'], body['message']]);
    expect(sent()).toHaveLength(2);
    for (const name of ['one', 'two']) expect(sent()).toContainEqual(['firing', ask(name)]);
    await gateway.post(`/v1/tasks/${id}:approve`, { step: 'one', comment: 'go' });
    for (let n = 0; n < 3; n += 1) await tick();
    expect(sent().slice(2)).toEqual([['resolved', ask('one')]]);
  });

  it('tells of a task that succeeded, and that it was undone', async () => {
    await put('glad', { on: ['succeeded'], channel: webhook() });
    await failedTask();
    gateway.world.commands.scripts.delete('m.b');
    const id = await gateway.create({ flow: 'test-flow' });
    while ((await gateway.world.task(id)).endedAt === null) await settle();
    for (let n = 0; n < 3; n += 1) await tick();
    const task = { taskId: id, flow: 'test-flow' };
    const firing = { kind: 'firing', message: 'A task of test-flow succeeded', task };
    expect(received.map(({ body }) => body)).toMatchObject([firing]);
    await gateway.post(`/v1/tasks/${id}:undo`, { reason: 'a test' });
    while ((await gateway.world.task(id)).status !== TASK_STATUS.rolled_back) await settle();
    for (let n = 0; n < 3; n += 1) await tick();
    expect(received.map(({ body }) => body)).toMatchObject([firing, { kind: 'resolved', task }]);
  });

  it('is tried again under the same id, until it is taken', async () => {
    await put('on-call', { on: ['failed'], channel: webhook() });
    answer = 503;
    await failedTask();
    await tick();
    expect(await deliveries('on-call')).toMatchObject([
      { state: 'pending', attempts: 1, lastError: 'It was answered with status 503.' },
    ]);
    answer = 204;
    await gateway.world.clock.advance(6_000);
    await tick();
    expect(await deliveries('on-call')).toMatchObject([{ state: 'delivered', attempts: 2 }]);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(received).toHaveLength(2);
  });

  it('is sent once, whatever number of gateways looks', async () => {
    await put('on-call', { on: ['failed'], channel: webhook() });
    const ticks = [1, 2, 3, 4].map(() => notificationTick(gateway.options));
    for (let n = 0; n < 5; n += 1) await failedTask();
    for (let n = 0; n < 3; n += 1) await Promise.all(ticks.map((each) => each()));
    expect(received).toHaveLength(5);
    expect(new Set(received.map(({ body }) => body['id'])).size).toBe(5);
  });

  it('is sent again by another one after the claim of one that died', async () => {
    await put('on-call', { on: ['failed'], channel: webhook() });
    await failedTask();
    const { deliveries: store } = gateway.world.store;
    // This one dies between the claim and the sending.
    const { put: write } = store;
    store.put = async (next, previous) => {
      await write(next, previous);
      if (next.attempts === 1) throw new Error('killed');
      return true;
    };
    await expect(tick()).rejects.toThrow('killed');
    store.put = write;
    const other = notificationTick(gateway.options);
    await other();
    expect(received).toHaveLength(0);
    await gateway.world.clock.advance(31_000);
    await other();
    expect(received).toHaveLength(1);
    expect(await deliveries('on-call')).toMatchObject([{ state: 'delivered', attempts: 2 }]);
  });

  it('of many in a quiet time is one, which counts the others into the next', async () => {
    await put('on-call', { on: ['failed'], throttle: '10m', channel: webhook() });
    for (let n = 0; n < 4; n += 1) {
      await failedTask();
      await tick();
    }
    expect(received.map(({ body }) => body['counted'])).toEqual([0]);
    await gateway.world.clock.advance(601_000);
    await tick();
    expect(received.map(({ body }) => body['counted'])).toEqual([0, 2]);
    const states = (await deliveries('on-call')).map(({ state }) => state).toSorted();
    expect(states).toEqual(['counted', 'counted', 'delivered', 'delivered']);
  });

  it('is about the tasks that fit alone', async () => {
    const channel = webhook();
    await put('team', { on: ['failed'], q: 'label.team:db', channel });
    await failedTask();
    const id = await failedTask({ flow: 'test-flow', labels: { team: 'db' } });
    await tick();
    expect(received.map(({ body }) => body['task'])).toEqual([{ taskId: id, flow: 'test-flow' }]);
  });

  it('is sent again when somebody asks, and tried by a test', async () => {
    await put('on-call', { on: ['failed'], channel: webhook() });
    await failedTask();
    await tick();
    const [{ deliveryId }] = (await deliveries('on-call')) as [PublicDelivery];
    const again = await gateway.post('/v1/notifications/on-call:redeliver', { deliveryId });
    expect(again.json()).toMatchObject({ state: 'pending' });
    await tick();
    expect(received.map(({ body }) => body['id'])).toEqual([deliveryId, deliveryId]);
    const test = await gateway.post('/v1/notifications/on-call:test');
    expect(test.json()).toMatchObject({ on: 'test', state: 'delivered' });
    answer = 500;
    const failed = await gateway.post('/v1/notifications/on-call:test');
    const lastError = 'It was answered with status 500.';
    expect(failed.json()).toMatchObject({ state: 'failed', lastError });
    expect(received.at(-1)?.body['kind']).toBe('test');
    const none = await gateway.post('/v1/notifications/on-call:redeliver', { deliveryId: 'x' });
    expect(none.json()).toMatchObject({ code: 'DELIVERY_NOT_FOUND' });
  });

  it('goes to no address that is not public, unless it is allowed', async () => {
    const channel = { type: 'slack', url: 'http://127.0.0.2:1/x' };
    await put('inside', { on: ['failed'], channel });
    const test = await gateway.post('/v1/notifications/inside:test');
    const lastError = 'Its address is not public, and BACKSTEP_HTTP_ALLOW does not list it.';
    expect(test.json()).toMatchObject({ state: 'failed', lastError });
  });
});

describe('a condition', () => {
  const kinds = (): unknown[] => received.map(({ body }) => body['kind']);

  /** Time for somebody to look, and for what was found to be sent. */
  async function look(ms = 6_000): Promise<void> {
    await gateway.world.clock.advance(ms);
    await tick();
    await tick();
  }

  it('is over when no flow uses the module any more, also for a gateway that is new', async () => {
    const { options } = gateway;
    let flows = options.flows.list();
    const list = () => flows;
    const changed = { ...options, flows: { ...options.flows, list }, executors: NO_EXECUTORS };
    tick = notificationTick(changed);
    await put('on-call', { on: ['executor_gone'], channel: webhook() });
    await look();
    expect(kinds()).toEqual([]);
    await look(11_000);
    await look();
    expect(received.map(({ body }) => [body['kind'], body['module']])).toEqual([['firing', 'm']]);
    for (let n = 0; n < 600; n += 1) {
      const createdAt = gateway.world.clock.now() + n;
      const newer = sampleDelivery(`${n}`, { createdAt, dueAt: null, isOpen: false });
      await gateway.world.store.deliveries.put(newer, null);
    }
    tick = notificationTick(changed);
    flows = [];
    await look();
    expect(kinds()).toEqual(['firing', 'resolved']);
    await look();
    expect(kinds()).toHaveLength(2);
  });

  it('of a backlog begins at a thousand messages, and is over below half of that', async () => {
    let depth = 999;
    const transport = transportOf(async () => depth);
    tick = notificationTick({ ...gateway.options, transport });
    await put('on-call', { on: ['backlog'], channel: webhook() });
    const depths = [999, 1_000, 2_000, 500, 1_000, 499, 999];
    const told: number[] = [];
    for (depth of depths) {
      await look();
      told.push(received.length);
    }
    expect(told).toEqual([0, 1, 1, 1, 1, 2, 2]);
    expect(received.map(({ body }) => [body['kind'], body['module']])).toEqual([
      ['firing', 'm'],
      ['resolved', 'm'],
    ]);
    expect(received[0]?.body['message']).toBe('1000 messages or more of the module m wait');
  });

  it('of a schedule is told once, also where it is over already, and ends with it', async () => {
    await put('on-call', { on: ['schedule_missed'], channel: webhook() });
    const { schedules } = gateway.world.store;
    const at = gateway.world.clock.now() + 1;
    const spell = { from: at, to: at, count: 1, at, detail: 'no flow (FLOW_NOT_FOUND)' };
    const failed = { ...spell, result: 'failed' } as const;
    const late = { ...spell, result: 'made_up', detail: null } as const;
    const started = { ...spell, result: 'started', detail: 'task-1' } as const;
    const bad = sampleSchedule('bad', { past: [failed] });
    await schedules.put(bad, null);
    await schedules.put(sampleSchedule('late', { past: [late, started] }), null);
    for (let n = 0; n < 3; n += 1) await look();
    const told = (name: string) => received.filter(({ body }) => body['schedule'] === name);
    expect(told('bad').map(({ body }) => body['kind'])).toEqual(['firing']);
    expect(told('bad')[0]?.body['message']).toContain('no flow (FLOW_NOT_FOUND)');
    expect(told('late').map(({ body }) => body['kind'])).toEqual(['firing', 'resolved']);
    await schedules.remove('bad', bad);
    for (let n = 0; n < 3; n += 1) await look();
    expect(told('bad').map(({ body }) => body['kind'])).toEqual(['firing', 'resolved']);
    expect(received).toHaveLength(4);
  });
});

describe('channels', () => {
  it('Slack gets a text in which nothing is a link', async () => {
    await put('chat', { on: ['stuck'], channel: { type: 'slack', url: url('/slack') } });
    gateway.world.commands.scripts.set('m.b', () => fails('<!channel> & <x>'));
    const id = await stuckTask();
    await tick();
    const [{ body }] = received as [Received];
    expect(body['text']).toMatch(new RegExp(`^A rollback of test-flow failed.*${id}`));
    expect(String(body['text'])).not.toMatch(/[<>]/);
  });

  it('PagerDuty is told of the beginning and of the end by one key', async () => {
    const channel = { type: 'pagerduty', routingKey: 'key-1', url: url('/enqueue') };
    await put('pager', { on: ['stuck'], channel });
    const id = await stuckTask();
    await tick();
    await gateway.post(`/v1/tasks/${id}:terminate`, { reason: 'a test' });
    await tick();
    await tick();
    const events = received.map(({ body }) => [body['event_action'], body['routing_key']]);
    expect(events).toEqual([
      ['trigger', 'key-1'],
      ['resolve', 'key-1'],
    ]);
    const keys = received.map(({ body }) => body['dedup_key']);
    expect(new Set(keys).size).toBe(1);
  });

  it('e-mail goes to everybody it is for', async () => {
    const mails: string[] = [];
    const sink = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData(stream, session, done) {
        let mail = `${session.envelope.rcptTo.map(({ address }) => address).join()}\n`;
        stream.on('data', (part: Buffer) => (mail += part.toString()));
        stream.on('end', () => {
          mails.push(mail);
          done();
        });
      },
    });
    const listener = sink.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const server = `smtp://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    const to = ['ann@example.org', 'bob@example.org'];
    const channel = { type: 'email', server, from: 'backstep@example.org', to };
    await put('mail', { on: ['failed'], channel });
    const id = await failedTask();
    await tick();
    expect(mails).toHaveLength(1);
    expect(mails[0]).toMatch(/^ann@example.org,bob@example.org\n/);
    expect(mails[0]).toContain(id);
    expect(await deliveries('mail')).toMatchObject([{ state: 'delivered' }]);
    await new Promise<void>((resolve) => sink.close(() => resolve()));
  });
});

describe('what a key with limits may do', () => {
  it('is to hear of its own tasks, and of nothing else', async () => {
    await gateway.close();
    await open({ asksForKeys: true });
    const { clock, store } = gateway.world;
    const keys = [
      { name: 'boss', role: 'admin' },
      { name: 'team', role: 'author', labels: { team: 'db' } },
      { name: 'other', role: 'author', modules: 'other' },
    ] as const;
    const texts: Record<string, string> = {};
    for (const [n, order] of keys.entries()) {
      const secret = { id: `${n}`.padStart(16, '0'), secret: 's'.repeat(43) };
      const { record, text: shown } = makeKey(order, secret, clock.now());
      await store.keys.put(record, null);
      texts[order.name] = shown;
    }
    const as = (name: string) => ({ authorization: `Bearer ${texts[name]}` });
    const channel = webhook();
    await put('all', { on: ['backlog'], channel }, as('boss'));
    expect((await put('own', { on: ['failed'], channel }, as('team'))).statusCode).toBe(201);
    expect((await put('own-2', { on: ['backlog'], channel }, as('team'))).statusCode).toBe(403);
    for (const [on, status] of [
      ['executor_gone', 403],
      ['schedule_missed', 201],
    ] as const) {
      const stored = await put('of-modules', { on: [on], channel }, as('other'));
      expect([on, stored.statusCode]).toEqual([on, status]);
    }
    const hidden = await gateway.ask({ url: '/v1/notifications/all', headers: as('team') });
    expect(hidden.statusCode).toBe(404);
    gateway.world.commands.scripts.set('m.b', () => fails());
    const ids: string[] = [];
    for (const labels of [{}, { team: 'db' }]) {
      const id = await gateway.create({ flow: 'test-flow', labels }, as('boss'));
      while ((await gateway.world.task(id)).endedAt === null) await settle();
      ids.push(id);
    }
    await tick();
    expect(received.map(({ body }) => body['task'])).toMatchObject([{ taskId: ids[1] }]);
    await expectModulesKept(as);
  });
});

/** A transport with this many messages in each queue. */
function transportOf(depth: () => Promise<number>): OssOptions['transport'] {
  return { obstacle: null, depth, receivers: async () => 1, troubles: () => [] };
}

/** A backlog is told to those who see the module. */
async function expectModulesKept(as: (name: string) => Record<string, string>): Promise<void> {
  const transport = transportOf(async () => 1_000);
  await notificationTick({ ...gateway.options, transport })();
  const url = '/v1/notifications/all/deliveries';
  const all = (await gateway.ask({ url, headers: as('boss') })).json() as {
    items: readonly PublicDelivery[];
  };
  expect(all.items).toMatchObject([{ on: 'backlog', subject: 'm' }]);
  const some = await gateway.ask({ url, headers: as('other') });
  expect(some.json()).toEqual({ items: [], page: { nextCursor: null } });
  const order = { deliveryId: all.items[0]?.deliveryId };
  const again = await gateway.post('/v1/notifications/all:redeliver', order, as('other'));
  expect(again.json()).toMatchObject({ code: 'DELIVERY_NOT_FOUND' });
}
