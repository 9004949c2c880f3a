import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OutputKeeper } from '#platform';
import type { CommandContext } from '#ports';
import { chain, done, ManualClock, MemoryStore, RecordingObserver, settle } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';
import { OpenStreams } from '../events/open-streams.js';

type Line = Readonly<Record<string, unknown>>;

interface Page {
  readonly items: readonly Line[];
  readonly dropped: number;
  readonly page: { readonly nextCursor: string | null };
}

let gateway: Gateway;
let keeper: OutputKeeper;
/** The attempts that run, and a way to end each. */
let running: { readonly context: CommandContext; readonly end: () => void }[];

/** The commands of both steps run until a test ends them. */
beforeEach(async () => {
  const [store, clock] = [new MemoryStore(), new ManualClock()];
  keeper = new OutputKeeper({ records: store.records, clock, observer: new RecordingObserver() });
  gateway = await Gateway.open([chain(['a', 'b'])], { store, clock, output: keeper });
  running = [];
  for (const name of ['m.a', 'm.b']) {
    gateway.world.commands.scripts.set(name, async (context) => {
      await new Promise<void>((end) => running.push({ context, end }));
      return done();
    });
  }
});
afterEach(() => gateway.close());

async function create(): Promise<string> {
  const taskId = await gateway.create({ flow: 'test-flow' });
  await runningAttempts(1);
  return taskId;
}

async function runningAttempts(count: number): Promise<void> {
  while (running.length < count) await settle();
}

function contextOf(nth: number): CommandContext {
  return running[nth]!.context;
}

async function pageOf(taskId: string, query = ''): Promise<Page> {
  const answer = await gateway.ask({ url: `/v1/tasks/${taskId}/logs${query}` });
  expect([query, answer.statusCode]).toEqual([query, 200]);
  return answer.json();
}

function messages({ items }: Pick<Page, 'items'>): readonly unknown[] {
  return items.map(({ message }) => message);
}

/** A real connection: the stream is about connections. */
class Client {
  text = '';
  response!: IncomingMessage;
  private ended = false;

  static async open(path: string, headers: Record<string, string> = {}): Promise<Client> {
    const client = new Client();
    const { port } = gateway.http.app.getHttpServer().address() as AddressInfo;
    const request = get({ port, path, headers: { accept: 'text/event-stream', ...headers } });
    request.on('error', () => {});
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    client.response = response;
    response.setEncoding('utf8');
    response.on('data', (text: string) => (client.text += text));
    response.on('end', () => (client.ended = true));
    return client;
  }

  /** Lets the time of the gateway pass until the text fits. */
  async sees(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.text)) await this.moment();
  }

  async end(): Promise<void> {
    while (!this.ended) await this.moment();
  }

  get lines(): readonly Line[] {
    const found = [...this.text.matchAll(/event: line\ndata: ([^\n]+)/g)];
    return found.map(([, data = '']) => JSON.parse(data) as Line);
  }

  get lastId(): string {
    return [...this.text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? '';
  }

  private async moment(): Promise<void> {
    await gateway.world.clock.advance(1_000);
    await settle();
  }
}

describe('GET /v1/tasks/{taskId}/logs', () => {
  it('has the lines of each attempt in order, with their places', async () => {
    const id = await create();
    contextOf(0).log('begins');
    contextOf(0).log('low on space', { level: 'warn' });
    running[0]!.end();
    await runningAttempts(2);
    contextOf(1).log('of b');
    await keeper.tick();
    const at = '2027-01-15T08:00:00.000Z';
    const place = { step: 'a', run: 'a', direction: 'normal', attempt: 1, at };
    expect(await pageOf(id)).toEqual({
      items: [
        { ...place, line: 1, level: 'info', message: 'begins' },
        { ...place, line: 2, level: 'warn', message: 'low on space' },
        { ...place, line: 1, step: 'b', run: 'b', level: 'info', message: 'of b' },
      ],
      dropped: 0,
      page: { nextCursor: null },
    });
  });

  it.each([
    ['?step=a', ['1', '2']],
    ['?run=b', ['3']],
    ['?direction=rollback', []],
    ['?attempt=1&step=b', ['3']],
    ['?attempt=2', []],
  ])('with %s has those that fit', async (query, found) => {
    const id = await create();
    contextOf(0).log('1\n2');
    running[0]!.end();
    await runningAttempts(2);
    contextOf(1).log('3');
    await keeper.tick();
    expect(messages(await pageOf(id, query))).toEqual(found);
  });

  it('goes page by page, also while an attempt writes on, and says once what was cut', async () => {
    const id = await create();
    const said: string[] = [];
    for (let n = 0; n < 120; n += 1) {
      said.push(`${n}`.padEnd(999, 'x'));
      contextOf(0).log(said.at(-1)!);
      if (n % 20 === 19) await keeper.tick();
    }
    const read: Line[] = [];
    let dropped = 0;
    let cursor: string | null = null;
    do {
      const page: Page = await pageOf(id, `?limit=7${cursor === null ? '' : `&cursor=${cursor}`}`);
      read.push(...page.items);
      dropped += page.dropped;
      cursor = page.page.nextCursor;
      if (read.length === 14) {
        contextOf(0).log('meanwhile');
        await keeper.tick();
      }
    } while (cursor !== null);
    const kept = read.length - 1;
    expect(kept).toBeGreaterThan(50);
    expect(messages({ items: read })).toEqual([...said.slice(-kept), 'meanwhile']);
    expect(dropped).toBe(said.length - kept);
    expect(read[0]).toMatchObject({ line: dropped + 1, dropped });
  });

  it('refuses what is no query of it, and has nothing of a task that is not there', async () => {
    const id = await create();
    for (const query of ['attempt=0', 'direction=up', 'limit=0', 'cursor=x', 'lastEventId=a']) {
      const { statusCode } = await gateway.ask({ url: `/v1/tasks/${id}/logs?${query}` });
      expect([query, statusCode]).toEqual([query, 400]);
    }
    const none = await gateway.ask({ url: '/v1/tasks/nope/logs' });
    expect(none.json()).toMatchObject({ code: 'TASK_NOT_FOUND' });
  });

  it('streams every line once, live, and ends after the task', async () => {
    await gateway.http.app.listen(0, '127.0.0.1');
    const id = await create();
    contextOf(0).log('first');
    const client = await Client.open(`/v1/tasks/${id}/logs`);
    expect(client.response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    await client.sees(/"first"/);
    contextOf(0).log('second');
    await client.sees(/"second"/);
    running[0]!.end();
    await runningAttempts(2);
    contextOf(1).log('last');
    running[1]!.end();
    await client.end();
    expect(messages({ items: client.lines })).toEqual(['first', 'second', 'last']);
    expect(gateway.http.app.get(OpenStreams).size).toBe(0);
  });

  it('goes on after the last line that the client has, and sends none twice', async () => {
    await gateway.http.app.listen(0, '127.0.0.1');
    const id = await create();
    contextOf(0).log('1');
    const first = await Client.open(`/v1/tasks/${id}/logs`);
    await first.sees(/"1"/);
    contextOf(0).log('2');
    running[0]!.end();
    await runningAttempts(2);
    contextOf(1).log('3');
    running[1]!.end();
    const second = await Client.open(`/v1/tasks/${id}/logs`, { 'last-event-id': first.lastId });
    await second.end();
    expect(messages({ items: second.lines })).toEqual(['2', '3']);
    const query = `?lastEventId=${second.lastId}`;
    const third = await Client.open(`/v1/tasks/${id}/logs${query}`);
    expect(third.response.statusCode).toBe(204);
  });

  it('ends for good for a client that comes back to a task without lines', async () => {
    await gateway.http.app.listen(0, '127.0.0.1');
    const id = await create();
    contextOf(0).progress(40);
    const client = await Client.open(`/v1/tasks/${id}/logs`);
    await client.sees(/event: progress/);
    running[0]!.end();
    await runningAttempts(2);
    running[1]!.end();
    await client.end();
    // As of a process that was killed: nobody takes it back.
    const killed = { taskId: id, step: 'a', run: 'a', direction: 'normal', attempt: 2 } as const;
    keeper.progress(killed, { percent: 50 });
    await keeper.tick();
    const again = await Client.open(`/v1/tasks/${id}/logs`, { 'last-event-id': client.lastId });
    expect([client.lastId, again.response.statusCode]).toEqual(['0', 204]);
  });

  it('streams how far attempts are', async () => {
    await gateway.http.app.listen(0, '127.0.0.1');
    const id = await create();
    contextOf(0).progress(40, 'copies');
    const client = await Client.open(`/v1/tasks/${id}/logs`);
    await client.sees(/event: progress\ndata: \{"step":"a".+"percent":40,"message":"copies"/);
    contextOf(0).progress(80);
    await client.sees(/"percent":80,"at"/);
    expect(client.text.match(/event: progress/g)).toHaveLength(2);
    running[0]!.end();
    await runningAttempts(2);
    running[1]!.end();
    await client.end();
  });
});

describe('the progress of a running attempt', () => {
  it('is a member of its step, of the attempt and of the listed task until it ends', async () => {
    const id = await create();
    contextOf(0).progress(12.5, 'table 17', 'copying');
    await keeper.tick();
    await gateway.world.clock.advance(1_000);
    const at = '2027-01-15T08:00:00.000Z';
    const progress = { state: 'copying', percent: 12.5, message: 'table 17', at };
    const stepsOf = async () => {
      const answer = await gateway.ask({ url: `/v1/tasks/${id}` });
      return (answer.json() as { steps: { progress?: object }[] }).steps;
    };
    expect((await stepsOf()).map((step) => step.progress)).toEqual([progress, undefined]);
    const attempts = await gateway.ask({ url: '/v1/attempts' });
    expect(attempts.json()).toMatchObject({ items: [{ taskId: id, progress }] });
    const listed = async () => {
      const answer = await gateway.ask({ url: '/v1/tasks' });
      expect(misfits('TaskPage', answer.json())).toEqual([]);
      return (answer.json() as { items: { progress?: object }[] }).items;
    };
    expect(await listed()).toMatchObject([{ taskId: id, progress: { step: 'a', ...progress } }]);
    running[0]!.end();
    await runningAttempts(2);
    await gateway.world.clock.advance(1_000);
    expect((await listed()).map((item) => item.progress)).toEqual([undefined]);
    expect((await stepsOf()).map((step) => step.progress)).toEqual([undefined, undefined]);
  });
});
