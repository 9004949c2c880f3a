import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type KeyOrder, makeKey } from '#access';
import { SystemEntropy } from '#machine';
import { StoreUnavailable } from '#ports';
import { action, flow, settle } from '#testing';
import { type ScheduleMeter, Scheduler } from '#schedules';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';
import { LiveTaskQuota } from '../tasks/live-task-quota.js';
import { TaskIntake } from '../tasks/task-intake.js';
import type { PublicSchedule } from './schedule.presenter.js';
import { ScheduledStarts } from './scheduled-starts.js';

const STEPS = [{ name: 'a', needs: [], normal: action('m.a'), rollback: null }];
/** Waits for longer than any test. */
const HELD_ACTION = { ...action('m.held'), timeoutMs: 86_400_000 };
const HELD = [{ name: 'held', needs: [], normal: HELD_ACTION, rollback: null }];
const INPUT = { type: 'object', properties: { n: { type: 'integer' } } };

/** A gateway that asks for keys, with one scheduler that looks when it is told to. */
class Desk {
  gateway!: Gateway;
  readonly counted: string[] = [];
  private readonly keys = new Map<string, string>();
  private scheduler!: Scheduler;

  async open(): Promise<void> {
    const flows = [
      flow(STEPS, { input: INPUT }),
      flow(STEPS, { name: 'other' }),
      { ...flow(HELD, { name: 'bounded' }), maxLive: 1 },
    ];
    this.gateway = await Gateway.open(flows, { asksForKeys: true });
    await this.addKey('ann', { role: 'author' });
    await this.addKey('team', { role: 'author', flows: 'other', labels: { team: 'db' } });
    await this.addKey('tom', { role: 'starter' });
    const { options, world } = this.gateway;
    const { clock, engine, observer, store } = world;
    const intake = new TaskIntake(options, new LiveTaskQuota(options));
    const meter: ScheduleMeter = {
      started: () => this.counted.push('started'),
      skipped: (reason, count) => this.counted.push(`${reason} ${count}`),
      failed: () => this.counted.push('failed'),
    };
    const starter = new ScheduledStarts({ engine, intake, keys: store.keys, tasks: store });
    const { schedules } = store;
    const entropy = new SystemEntropy();
    const parts = { schedules, tasks: store, starter, clock, entropy, observer, meter };
    this.scheduler = new Scheduler(parts);
    await this.scheduler.tick();
  }

  as(name: string): Record<string, string> {
    return { authorization: `Bearer ${this.keys.get(name)}` };
  }

  put(name: string, body: object, { by = 'ann', ...headers }: Record<string, string> = {}) {
    const url = `/v1/schedules/${name}`;
    return this.gateway.ask({ method: 'PUT', url, body, headers: { ...this.as(by), ...headers } });
  }

  get(path: string, by = 'ann') {
    return this.gateway.ask({ url: `/v1/schedules${path}`, headers: this.as(by) });
  }

  async schedule(name: string): Promise<PublicSchedule> {
    return (await this.get(`/${name}`)).json() as PublicSchedule;
  }

  post(path: string, body?: object, headers: Record<string, string> = {}) {
    const all = { ...this.as('ann'), ...headers };
    return this.gateway.post(`/v1/schedules/${path}`, body, all);
  }

  /** Time passes, and the scheduler looks. */
  async pass(ms: number): Promise<void> {
    await this.gateway.world.clock.advance(ms);
    await this.look();
  }

  async look(): Promise<void> {
    await this.scheduler.tick();
    for (let n = 0; n < 20; n += 1) await settle();
  }

  async tasksOf(schedule: string): Promise<readonly { taskId: string; labels: object }[]> {
    const url = `/v1/tasks?full=true&label.schedule=${schedule}`;
    const answer = await this.gateway.ask({ url, headers: this.as('ann') });
    return (answer.json() as { items: readonly { taskId: string; labels: object }[] }).items;
  }

  private async addKey(name: string, order: Omit<KeyOrder, 'name'>): Promise<void> {
    const secret = { id: `${this.keys.size}`.padStart(16, '0'), secret: 's'.repeat(43) };
    const { record, text } = makeKey({ name, ...order }, secret, this.gateway.world.clock.now());
    await this.gateway.world.store.keys.put(record, null);
    this.keys.set(name, text);
  }
}

const desk = new Desk();
beforeAll(() => desk.open());
afterAll(() => desk.gateway.close());

const EVERY = { flow: 'test-flow', every: '10m' };

describe('a schedule', () => {
  it('is stored with its defaults, and shown as it stands', async () => {
    const answer = await desk.put('nightly', { flow: 'test-flow', cron: '30 2 * * *' });
    expect([answer.statusCode, answer.headers.location]).toEqual([201, '/v1/schedules/nightly']);
    expect(answer.headers.etag).toBe('"1"');
    const found = (await desk.get('/nightly?next=3')).json() as PublicSchedule;
    expect(misfits('Schedule', found)).toEqual([]);
    expect(found).toMatchObject({
      cron: '30 2 * * *',
      parameters: {},
      timezone: 'UTC',
      overlap: 'skip',
      catchUp: 'last',
      paused: false,
      generation: 1,
      updatedBy: 'ann',
      lastRun: null,
    });
    expect(found.next).toHaveLength(3);
    expect(found.next?.[0]).toBe(found.nextAt);
    expect(found.next?.every((moment) => moment.endsWith('T02:30:00.000Z'))).toBe(true);
  });

  it('that is stored again is another generation only if it is another one', async () => {
    const same = await desk.put('again', EVERY);
    expect(same.statusCode).toBe(201);
    const before = await desk.schedule('again');
    await desk.gateway.world.clock.advance(1_000);
    const second = await desk.put('again', { ...EVERY, overlap: 'skip' });
    expect([second.statusCode, second.json()]).toEqual([200, before]);
    const third = await desk.put('again', { ...EVERY, parameters: { n: 1 } });
    expect(third.json()).toMatchObject({ generation: 2, nextAt: before.nextAt });
    const stale = await desk.put('again', EVERY, { 'if-match': '"1"' });
    expect([stale.statusCode, stale.json()]).toMatchObject([412, { code: 'REVISION_CHANGED' }]);
    const taken = await desk.put('again', EVERY, { 'if-none-match': '*' });
    expect(taken.statusCode).toBe(412);
    expect((await desk.put('again', EVERY, { 'if-match': '"2"' })).statusCode).toBe(200);
  });

  it('starts a task of its flow at its moments', async () => {
    await desk.put('runs', { ...EVERY, parameters: { n: 7 }, labels: { team: 'db' } });
    await desk.pass(600_000);
    const [task, ...others] = await desk.tasksOf('runs');
    const { counts, lastRun } = await desk.schedule('runs');
    expect(others).toEqual([]);
    expect(task).toMatchObject({
      status: 'succeeded',
      parameters: { n: 7 },
      labels: { team: 'db', schedule: 'runs', moment: lastRun?.moment },
    });
    expect([lastRun?.taskId, counts]).toEqual([
      task?.taskId,
      { started: 1, skipped: 0, failed: 0 },
    ]);
    const url = `/v1/tasks/${encodeURIComponent(task?.taskId ?? '')}/events`;
    const events = await desk.gateway.ask({ url, headers: desk.as('ann') });
    const { items } = events.json() as { items: readonly { actor: string }[] };
    expect(items[0]).toMatchObject({ kind: 'created', actor: 'schedule runs' });
    await desk.look();
    expect(await desk.tasksOf('runs')).toHaveLength(1);
  });

  it('goes on after a moment of which there can be no task', async () => {
    await desk.put('bad', { flow: 'test-flow', every: '10m', parameters: { n: 1 } });
    const { options } = desk.gateway;
    const { find } = options.flows;
    Object.assign(options.flows, { find: () => undefined });
    await desk.pass(600_000);
    Object.assign(options.flows, { find });
    expect(await desk.schedule('bad')).toMatchObject({
      lastError: { code: 'FLOW_NOT_FOUND', retried: false },
      counts: { started: 0, failed: 1 },
    });
    await desk.pass(600_000);
    expect(await desk.schedule('bad')).toMatchObject({ lastError: null, counts: { started: 1 } });
    expect(desk.counted).toContain('failed');
  });

  it('starts a moment later that the store did not take', async () => {
    await desk.put('later', EVERY);
    const { store } = desk.gateway.world;
    await desk.gateway.world.clock.advance(600_000);
    store.down = true;
    await expect(desk.look()).rejects.toThrow();
    store.down = false;
    store.loseNextAnswer = true;
    await expect(desk.look()).rejects.toThrow();
    await desk.pass(6_000);
    expect(await desk.tasksOf('later')).toHaveLength(1);
  });
});

describe('a schedule of a flow that bounds its live tasks', () => {
  /** From now on tasks of the flow wait until they are released. */
  function hold(): () => Promise<void> {
    const { clock, commands, store } = desk.gateway.world;
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    commands.scripts.set('m.held', async () => {
      await gate;
      return { kind: 'succeeded', output: null };
    });
    return async () => {
      release();
      for (let n = 0; (await store.countStarted('bounded', 1)) > 0; n += 1) {
        if (n === 1_000) throw new Error('the task does not end');
        await clock.advance(1);
      }
    };
  }

  /** The only task that there is room for waits. */
  async function fill(): Promise<() => Promise<void>> {
    const release = hold();
    const answer = await desk.gateway.post('/v1/tasks', { flow: 'bounded' }, desk.as('ann'));
    expect(answer.statusCode).toBe(201);
    return release;
  }

  it.each(['skip', 'allow'])('with %s skips a moment that finds no room', async (overlap) => {
    const empty = await fill();
    const name = `full-${overlap}`;
    await desk.put(name, { ...EVERY, flow: 'bounded', overlap });
    await desk.pass(600_000);
    expect(await desk.tasksOf(name)).toEqual([]);
    const shown = await desk.schedule(name);
    expect(misfits('Schedule', shown)).toEqual([]);
    expect(shown).toMatchObject({
      lastSkipped: { reason: 'too_many_live' },
      lastError: null,
      counts: { started: 0, skipped: 1, failed: 0 },
    });
    expect(desk.counted).toContain('too_many_live 1');
    const why = (await desk.get(`/${name}/why`)).json();
    expect(misfits('ScheduleExplanation', why)).toEqual([]);
    const message = 'the flow was at its limit of unfinished tasks';
    expect(why).toMatchObject({ past: [{ result: 'too_many_live', message, count: 1 }] });
    await empty();
    await desk.pass(600_000);
    expect(await desk.tasksOf(name)).toHaveLength(1);
    await desk.post(`${name}:pause`, { reason: 'seen' });
  });

  it('with queue starts it once there is room', async () => {
    const empty = await fill();
    await desk.put('full-queue', { ...EVERY, flow: 'bounded', overlap: 'queue' });
    await desk.pass(600_000);
    expect(await desk.schedule('full-queue')).toMatchObject({
      lastSkipped: null,
      lastError: { code: 'TOO_MANY_LIVE', retried: true },
      counts: { started: 0, skipped: 0 },
    });
    await empty();
    await desk.pass(6_000);
    expect(await desk.tasksOf('full-queue')).toHaveLength(1);
    expect(await desk.schedule('full-queue')).toMatchObject({ lastError: null });
    await desk.post('full-queue:pause', { reason: 'seen' });
  });

  it('finds the task of a moment that was started, and not noted', async () => {
    const release = hold();
    await desk.put('full-lost', { ...EVERY, flow: 'bounded' });
    const { schedules } = desk.gateway.world.store;
    const { put } = schedules;
    schedules.put = async (next, previous) => {
      const isNote = next.name === 'full-lost' && next.lastRun !== null;
      if (isNote) throw new StoreUnavailable('away');
      return put(next, previous);
    };
    await expect(desk.pass(600_000)).rejects.toThrow('away');
    schedules.put = put;
    expect(await desk.tasksOf('full-lost')).toHaveLength(1);
    await desk.pass(6_000);
    expect(await desk.schedule('full-lost')).toMatchObject({
      lastSkipped: null,
      counts: { started: 1, skipped: 0 },
    });
    await release();
    await desk.post('full-lost:pause', { reason: 'seen' });
  });
});

describe('pausing, resuming, removing', () => {
  it('a paused schedule starts nothing until it is resumed', async () => {
    await desk.put('stops', EVERY);
    const paused = await desk.post('stops:pause', { reason: 'audit' });
    expect(paused.json()).toMatchObject({
      paused: true,
      nextAt: null,
      pause: { by: 'ann', reason: 'audit' },
    });
    await desk.pass(1_800_000);
    expect(await desk.tasksOf('stops')).toEqual([]);
    const resumed = await desk.post('stops:resume', { reason: 'done' });
    expect(resumed.json()).toMatchObject({
      paused: false,
      lastSkipped: { reason: 'paused' },
      counts: { skipped: 3 },
    });
    expect((await desk.post('stops:pause', {})).statusCode).toBe(400);
  });

  it('a removed one is gone, and its name is free', async () => {
    await desk.put('gone', EVERY);
    const remove = () =>
      desk.gateway.ask({ method: 'DELETE', url: '/v1/schedules/gone', headers: desk.as('ann') });
    expect((await remove()).statusCode).toBe(204);
    const answer = await remove();
    expect([answer.statusCode, answer.json()]).toMatchObject([404, { code: 'SCHEDULE_NOT_FOUND' }]);
    expect((await desk.put('gone', EVERY)).statusCode).toBe(201);
  });

  it('writes who did what to the audit log', async () => {
    const entries = [...desk.gateway.world.store.contents.audit];
    const operations = entries.map(({ actor, operation, reason }) => [actor, operation, reason]);
    expect(operations).toContainEqual(['ann', 'PUT /v1/schedules/{name}', null]);
    expect(operations).toContainEqual(['ann', 'POST /v1/schedules/{name}:pause', 'audit']);
    expect(operations).toContainEqual(['ann', 'DELETE /v1/schedules/{name}', null]);
  });
});

describe('starting by hand', () => {
  it('makes a task now, once for each key, also of a paused schedule', async () => {
    await desk.put('hand', { ...EVERY, paused: true, parameters: { n: 2 } });
    const headers = { 'idempotency-key': 'k1' };
    const answer = await desk.post('hand:trigger', undefined, headers);
    expect(answer.statusCode).toBe(201);
    const { taskId } = answer.json() as { taskId: string };
    const again = await desk.post('hand:trigger', { reason: 'again' }, headers);
    expect([again.statusCode, again.json()]).toMatchObject([200, { taskId }]);
    expect((await desk.schedule('hand')).lastRun).toMatchObject({ moment: null, taskId });
    expect(await desk.tasksOf('hand')).toMatchObject([{ taskId, parameters: { n: 2 } }]);
  });

  it('is for everybody who may start tasks of the flow', async () => {
    const answer = await desk.post('hand:trigger', {}, desk.as('tom'));
    expect(answer.statusCode).toBe(201);
    expect((await desk.post('none:trigger')).statusCode).toBe(404);
    expect((await desk.post('hand:trigger', { what: 1 })).statusCode).toBe(400);
  });
});

describe('what is refused', () => {
  it.each<[body: object, status: number, code: string]>([
    [{ flow: 'test-flow' }, 422, 'INVALID_SCHEDULE '],
    [{ ...EVERY, cron: '* * * * *' }, 422, 'INVALID_SCHEDULE /every'],
    [{ ...EVERY, what: 1 }, 400, 'INVALID_REQUEST /what'],
    [{ ...EVERY, overlap: 'wait' }, 400, 'INVALID_REQUEST /overlap'],
    [{ ...EVERY, paused: 'no' }, 400, 'INVALID_REQUEST /paused'],
    [{ ...EVERY, labels: { schedule: 'x' } }, 422, 'INVALID_SCHEDULE /labels/schedule'],
    [{ ...EVERY, labels: { moment: 'x' } }, 422, 'INVALID_SCHEDULE /labels/moment'],
    [{ ...EVERY, at: true }, 400, 'INVALID_REQUEST /at'],
    [{ flow: 'test-flow', cron: '61 * * * *' }, 422, 'INVALID_SCHEDULE /cron'],
    [{ ...EVERY, timezone: 'Berlin' }, 422, 'INVALID_SCHEDULE /timezone'],
    [{ flow: 'test-flow', every: '10ms' }, 422, 'INVALID_SCHEDULE /every'],
    [{ flow: 'test-flow', at: '2001-01-01' }, 422, 'INVALID_SCHEDULE /at'],
    [{ flow: 'none', every: '10m' }, 404, 'FLOW_NOT_FOUND /flow'],
    [{ ...EVERY, parameters: { n: 'x' } }, 422, 'INVALID_PARAMETERS /parameters/n'],
  ])('%j', async (body, status, what) => {
    const [code, pointer] = what.split(' ');
    const answer = await desk.put('wrong', body);
    expect([answer.statusCode, answer.json()]).toMatchObject([
      status,
      { code, errors: [{ pointer }] },
    ]);
    expect((await desk.get('/wrong')).statusCode).toBe(404);
  });

  it('a name that is none, and numbers that are none', async () => {
    expect((await desk.put('%20', EVERY)).statusCode).toBe(422);
    expect((await desk.get('/nightly?next=0')).statusCode).toBe(400);
    expect((await desk.get('/nightly?next=101')).statusCode).toBe(400);
    expect((await desk.get('?cursor=%20')).statusCode).toBe(400);
  });
});

describe('a key with limits', () => {
  it('schedules only what it may start, and sees only that', async () => {
    const foreign = await desk.put('team-a', EVERY, { by: 'team' });
    expect(foreign.statusCode).toBe(404);
    const own = await desk.put('team-b', { flow: 'other', every: '1h' }, { by: 'team' });
    expect([own.statusCode, own.json()]).toMatchObject([201, { labels: { team: 'db' } }]);
    const wrong = { flow: 'other', every: '1h', labels: { team: 'x' } };
    expect((await desk.put('team-c', wrong, { by: 'team' })).statusCode).toBe(403);
    expect((await desk.get('/nightly', 'team')).statusCode).toBe(404);
    const taken = await desk.put('nightly', { flow: 'other', every: '1h' }, { by: 'team' });
    expect(taken.statusCode).toBe(403);
    const { items } = (await desk.get('', 'team')).json() as { items: readonly PublicSchedule[] };
    expect(items.map(({ name }) => name)).toEqual(['team-b']);
    expect((await desk.put('x', EVERY, { by: 'tom' })).statusCode).toBe(403);
  });
});

describe('the list', () => {
  it('has pages, by name', async () => {
    const names: string[] = [];
    let cursor = '';
    do {
      const page = (await desk.get(`?limit=3${cursor}`)).json() as {
        items: readonly PublicSchedule[];
        page: { nextCursor: string | null };
      };
      expect(misfits('SchedulePage', page)).toEqual([]);
      names.push(...page.items.map(({ name }) => name));
      cursor = page.page.nextCursor === null ? '' : `&cursor=${page.page.nextCursor}`;
    } while (cursor !== '');
    expect(names).toEqual(names.toSorted());
    expect(names).toEqual(expect.arrayContaining(['again', 'hand', 'nightly', 'team-b']));
  });
});
