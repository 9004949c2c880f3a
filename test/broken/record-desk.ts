import { Api } from '../load/index.js';
import { waitUntil } from '../servers/wait-until.js';
import { BROKEN, type BrokenIds } from './breakable-stack.js';

/** Name of the one record of each kind that stays whole. */
export const SOUND = 'sound';

const WITHIN_MS = 60_000;
const LIVE = 10;
const LOOK = { module: 'lab', command: 'again', timeout: 600 };
const QUICK = { name: 'quick', normal: { module: 'lab', command: 'succeed' } };

/** The flows that there must be. */
export const RECORD_FLOWS = {
  quick: { steps: [QUICK] },
  slow: {
    steps: [{ name: 'look', normal: { ...LOOK, parameters: { times: 3, delay: '300ms' } } }],
  },
  [`holds-${BROKEN}`]: holding(BROKEN),
  [`holds-${SOUND}`]: holding(SOUND),
};

function holding(lock: string): object {
  return { locks: [{ name: lock }], steps: [{ name: 'w', wait: { signal: 'never' } }] };
}

/** Bodies of what has a name, by their paths. */
export const NAMED_RECORDS = {
  schedules: { flow: 'quick', every: '1s' },
  notifications: {
    on: ['succeeded'],
    channel: { type: 'webhook', url: 'http://127.0.0.1:9/in', secret: 's'.repeat(32) },
  },
  flows: [QUICK],
};

type Item = Readonly<Record<string, unknown>>;

/** The ids of what was stored: of what is to be broken, and of tasks that are not. */
export interface Filled extends BrokenIds {
  readonly key: string;
  readonly live: readonly string[];
}

/** Stores records of every kind by requests, and looks at them. */
export class RecordDesk {
  readonly api: Api;

  constructor(url: string) {
    this.api = new Api(url);
  }

  /** One of each kind that is to be broken, and at least one that is not. */
  async fill(): Promise<Filled> {
    for (const name of [BROKEN, SOUND]) await this.#fillNamed(name);
    const key = (await this.list('keys')).find(({ name }) => name === BROKEN)!['id'] as string;
    const order = { action: 'pause', q: 'flow:quick', reason: 'a look', dryRun: true };
    const { operationId: operation } = await this.#post('operations', order);
    await this.#post('operations', order);
    await this.api.run('quick');
    for (const name of [BROKEN, SOUND]) {
      await this.until(`${name} has messages`, async () => {
        const messages = await this.list(`notifications/${name}/deliveries`);
        if (messages.length === 0) throw new Error('there is none');
      });
    }
    const task = await this.api.create('slow');
    const live = await Promise.all(Array.from({ length: LIVE }, () => this.api.create('slow')));
    return { task, live, key, operation: operation as string, auditEntry: 2 };
  }

  async #fillNamed(name: string): Promise<void> {
    for (const [path, body] of Object.entries(NAMED_RECORDS)) {
      await this.put(`${path}/${name}`, body);
    }
    await this.put(`commands/lab/${name}`, { timeout: '5s' });
    await this.api.create(`holds-${name}`);
    await this.#post('keys', { name, role: 'viewer' });
  }

  /** Stores something; the status of the answer, which is a good one. */
  async put(path: string, body: object): Promise<number> {
    const { body: answer, status } = await this.api.ask({
      method: 'PUT',
      path: `/v1/${path}`,
      body,
    });
    if (status >= 400) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return status;
  }

  async #post(path: string, body: object): Promise<Item> {
    const { body: answer, status } = await this.api.ask<Item>({ path: `/v1/${path}`, body });
    if (status >= 400) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer;
  }

  /** Removes something; the status of the answer. */
  async remove(path: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
    return (await this.api.ask({ method: 'DELETE', path: `/v1/${path}`, headers })).status;
  }

  /** Status and code of the answer to a request for one. */
  async refusal(path: string): Promise<readonly unknown[]> {
    const { body, status } = await this.api.ask<Item>({ path: `/v1/${path}` });
    return [path, status, body['code']];
  }

  /** The items of a page. */
  async list(path: string): Promise<readonly Item[]> {
    return (await this.api.get<{ items: readonly Item[] }>(`/v1/${path}`)).items;
  }

  /** Names of what is listed, by their paths. */
  async names(paths: readonly string[]): Promise<Readonly<Record<string, readonly unknown[]>>> {
    const lists = paths.map(async (path) => {
      return [path, (await this.list(path)).map(({ name }) => name)] as const;
    });
    return Object.fromEntries(await Promise.all(lists));
  }

  /** How many tasks the schedule has started that stays whole. */
  async startedByClock(): Promise<number> {
    const { counts } = await this.api.get<{ counts: { started: number } }>(
      `/v1/schedules/${SOUND}`,
    );
    return counts.started;
  }

  /** Kinds with records that the gateway has met and cannot read. */
  async countedKinds(): Promise<readonly string[]> {
    const { body } = await this.api.ask<string>({ path: '/metrics' });
    const found = body.matchAll(/^backstep_records_unreadable\{kind="([a-z_]+)"\} [1-9]/gm);
    return Array.from(found, ([, kind]) => kind!);
  }

  until(what: string, probe: () => Promise<void>): Promise<void> {
    return waitUntil(probe, { what, deadlineMs: WITHIN_MS });
  }
}
