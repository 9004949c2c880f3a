import { randomUUID } from 'node:crypto';
import type { Answer, Api } from './api.js';

/** An item of a poll, as far as tests look at it. */
export interface WorkItemView {
  readonly claim: string;
  readonly taskId: string;
  readonly step: string;
  readonly attempt: number;
  readonly fencingToken: number;
  readonly idempotencyKey: string;
}

/** The answer to an outcome, good or not. */
interface ReportView {
  readonly status?: string;
  readonly code?: string;
  readonly items?: readonly WorkItemView[];
}

/** Longest wait of a test's poll, and what its answer may take beyond it, in milliseconds. */
const POLL_MS = 45_000;

/** A worker that does what a test says, and nothing by itself. */
export class Worker {
  readonly name = `test:${randomUUID()}`;

  constructor(
    readonly api: Api,
    readonly module: string,
  ) {}

  /** One of a module that it has registered for. */
  static async register(api: Api, module: string): Promise<Worker> {
    const worker = new Worker(api, module);
    const body = { modules: { [module]: { make: {}, undo_make: {} } }, slots: 4 };
    await worker.expect({ method: 'PUT', path: worker.path, body });
    return worker;
  }

  /** Its address. */
  get path(): string {
    return `/v1/workers/${encodeURIComponent(this.name)}`;
  }

  /** The items of a poll that waits for a first one, at most 30 seconds. */
  async poll(members: object = {}): Promise<readonly WorkItemView[]> {
    return (await this.ask(members)).items;
  }

  /** The whole answer to a poll. */
  ask(members: object = {}): Promise<{ items: readonly WorkItemView[]; drain?: boolean }> {
    const body = { worker: this.name, module: this.module, wait: '30s', ...members };
    return this.expect({ path: '/v1/work:poll', body });
  }

  /** Sends a report about an item. */
  send(item: WorkItemView | undefined, verb: string, body: object): Promise<Answer<ReportView>> {
    if (item === undefined) throw new Error('there is no item');
    return this.api.ask({ path: `/v1/work/${item.claim}:${verb}`, body });
  }

  /** The same, of a report that is taken. */
  report(item: WorkItemView | undefined, verb: string, body: object = {}): Promise<ReportView> {
    if (item === undefined) throw new Error('there is no item');
    return this.expect({ path: `/v1/work/${item.claim}:${verb}`, body });
  }

  /** Says good-bye. */
  async leave(): Promise<void> {
    await this.expect({ method: 'DELETE', path: this.path });
  }

  private async expect<T>(ask: Parameters<Api['ask']>[0]): Promise<T> {
    const { body, status } = await this.api.ask<T>({ withinMs: POLL_MS, ...ask });
    if (status >= 300) throw new Error(`${ask.path}: ${status} ${JSON.stringify(body)}`);
    return body;
  }
}
