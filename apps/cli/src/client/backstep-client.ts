import { abortable } from '#machine';
import type { HttpRoutes } from '../../../../schemas/http-api.js';
import { ask, type Asked, type At, type HttpOptions, quoted, send } from './http.js';
import { readAnswer } from './read-answer.js';
import type {
  ActionOrder,
  BatchReport,
  CompletedReport,
  CompletionOrder,
  ExecutorsReport,
  FlowReport,
  FlowsReport,
  KeyReport,
  LockReport,
  LogLine,
  OperationReport,
  TaskEvent,
  TaskOrder,
  TaskPage,
  TaskReceipt,
  TaskReport,
  Verb,
  VersionReport,
} from './types.js';

/** The query of a route that takes one. */
type Query<A extends At> = HttpRoutes[A] extends { readonly query?: infer Given } ? Given : never;

/** One page of a list. */
interface Paged {
  /** Absent: the gateway is of an older build. */
  readonly page?: { readonly nextCursor: string | null };
}

const EVENTS = 'GET /v1/tasks/{taskId}/events';
const LOGS = 'GET /v1/tasks/{taskId}/logs';

/** Versions of a flow that a page has at most. */
const VERSIONS_MAX = 200;

/** One message of a stream of server-sent events. */
interface ServerEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Backstep's HTTP interface, typed. Every error is a `CliError`. */
export class BackstepClient {
  constructor(readonly options: HttpOptions) {}

  /** The answer of a route, in JSON; undefined: it has none. */
  ask<A extends At>(at: A, asked: Asked<A>): Promise<HttpRoutes[A]['answer']> {
    return ask({ at, ...asked }, this.options);
  }

  async createTask(body: TaskOrder, key: string): Promise<TaskReceipt> {
    return this.ask('POST /v1/tasks', { body, headers: { 'idempotency-key': quoted(key) } });
  }

  async createTasks(tasks: readonly TaskOrder[]): Promise<BatchReport['results']> {
    return (await this.ask('POST /v1/tasks:batch', { body: { tasks } })).results;
  }

  getTask(taskId: string): Promise<TaskReport> {
    return this.ask('GET /v1/tasks/{taskId}', { path: { taskId } });
  }

  /** The text of a version of a flow, as its author wrote it. */
  async flowSource(name: string, version: number): Promise<string> {
    const at = 'GET /v1/flows/{name}/versions/{version}/source';
    const answer = await send({ at, path: { name, version } }, this.options);
    return abortable(answer.text(), this.options.signal);
  }

  listTasks(query: Query<'GET /v1/tasks'>): Promise<TaskPage> {
    return this.ask('GET /v1/tasks', { query });
  }

  /** The events so far. */
  async events(taskId: string, after = 0): Promise<readonly TaskEvent[]> {
    const headers = { 'last-event-id': `${after}` };
    return (await this.ask(EVENTS, { path: { taskId }, headers })).items;
  }

  /** Events as they happen, those of one moment together; ends when the stream does. */
  async *stream(taskId: string, after: number): AsyncGenerator<readonly TaskEvent[]> {
    for await (const messages of this.#messages({ at: EVENTS, path: { taskId } }, `${after}`))
      yield messages.map(({ data }) => readAnswer(data, this.options.url) as TaskEvent);
  }

  /** Lines of attempts, the same way. `after`: id of the last line that the caller has. */
  async *logs(
    taskId: string,
    query: Query<typeof LOGS>,
    after: string,
  ): AsyncGenerator<readonly { readonly id: string; readonly line: LogLine }[]> {
    for await (const messages of this.#messages({ at: LOGS, path: { taskId }, query }, after))
      yield messages
        .filter(({ event }) => event === 'line')
        .map(({ data, id }) => ({ id, line: readAnswer(data, this.options.url) as LogLine }));
  }

  async *#messages(
    asked: Pick<Parameters<typeof send>[0], 'at' | 'path' | 'query'>,
    after: string,
  ): AsyncGenerator<ReturnType<EventReader['read']>> {
    const headers = {
      accept: 'text/event-stream',
      ...(after !== '' && { 'last-event-id': after }),
    };
    const answer = await send({ ...asked, headers }, this.options);
    if (answer.body === null) return;
    const reader = answer.body.getReader();
    const events = new EventReader();
    const decoder = new TextDecoder();
    try {
      for (;;) {
        const { done, value } = await abortable(reader.read(), this.options.signal);
        if (done) return;
        const messages = events.read(decoder.decode(value, { stream: true }));
        if (messages.length > 0) yield messages;
      }
    } finally {
      // Also where nobody wants to read on. That it cannot be cancelled any more is no error.
      void reader.cancel().catch(() => {});
    }
  }

  /** The task, or the operation by which the action waits for a second person. */
  async operate(
    taskId: string,
    verb: Verb,
    order: ActionOrder,
  ): Promise<TaskReport | OperationReport> {
    const { key, revision, ...body } = order;
    const headers = { 'idempotency-key': quoted(key), ...ifMatch(revision) };
    const at = `POST /v1/tasks/{taskId}:${verb}` as const;
    // Which members go with which action is the gateway's to say, to people in words.
    const asked = { path: { taskId }, body: body as HttpRoutes[typeof at]['body'], headers };
    return this.ask(at, asked);
  }

  /**
   * Says how an attempt ended that was left to a person or system outside. Gives the task, to a
   * worker the run alone, or the operation by which it waits for a second person.
   */
  complete(
    taskId: string,
    { key, revision, run, ...body }: CompletionOrder,
  ): Promise<TaskReport | CompletedReport | OperationReport> {
    const keyed = key === undefined ? {} : { 'idempotency-key': quoted(key) };
    const headers = { ...keyed, ...ifMatch(revision) };
    const path = { taskId, run };
    return this.ask('POST /v1/tasks/{taskId}/steps/{run}:complete', { path, body, headers });
  }

  /** Flows at their newest version, and the mistakes in flow files. */
  async listFlows(): Promise<FlowsReport> {
    const pages = await this.#pages((query) => this.ask('GET /v1/flows', { query }));
    return { ...pages[0]!, items: pages.flatMap(({ items }) => items) };
  }

  getFlow(name: string, version?: string): Promise<FlowReport> {
    if (version === undefined) return this.ask('GET /v1/flows/{name}', { path: { name } });
    return this.ask('GET /v1/flows/{name}/versions/{version}', { path: { name, version } });
  }

  async listVersions(name: string): Promise<readonly VersionReport[]> {
    const at = 'GET /v1/flows/{name}/versions';
    const ask = (query: { readonly cursor?: string }) =>
      this.ask(at, { path: { name }, query: { limit: VERSIONS_MAX, ...query } });
    return (await this.#pages(ask)).flatMap(({ items }) => items);
  }

  /** Executors by module, and what flows use that none of them has. */
  async listExecutors(): Promise<ExecutorsReport> {
    const pages = await this.#pages((query) => this.ask('GET /v1/executors', { query }));
    return { ...pages[0]!, items: pages.flatMap(({ items }) => items) };
  }

  /** Locks by their names. */
  async listLocks(): Promise<readonly LockReport[]> {
    const pages = await this.#pages((query) => this.ask('GET /v1/locks', { query }));
    return pages.flatMap(({ items }) => items);
  }

  async listKeys(): Promise<readonly KeyReport[]> {
    const pages = await this.#pages((query) => this.ask('GET /v1/keys', { query }));
    return pages.flatMap(({ items }) => items);
  }

  /** The pages of a list, in their order; a gateway of an older build has one. */
  async #pages<Page extends Paged>(
    ask: (query: { readonly cursor?: string }) => Promise<Page>,
  ): Promise<readonly Page[]> {
    const pages: Page[] = [];
    let cursor: string | null = null;
    do {
      const page: Page = await ask(cursor === null ? {} : { cursor });
      pages.push(page);
      cursor = page.page?.nextCursor ?? null;
    } while (cursor !== null);
    return pages;
  }
}

function ifMatch(revision: string | undefined): Readonly<Record<string, string>> {
  return revision === undefined ? {} : { 'if-match': quoted(revision) };
}

/** Reads server-sent events from pieces of text, cut anywhere. Comments are left out. */
export class EventReader {
  #rest = '';
  #id = '';
  #event = '';
  #data: string[] = [];

  /** The messages that are complete with this piece. */
  read(piece: string): ServerEvent[] {
    const text = this.#rest + piece;
    // A CR at the end may be the first half of CRLF.
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#line(line) ?? []);
  }

  #line(line: string): ServerEvent | undefined {
    if (line === '') return this.#dispatch();
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (field === 'data') this.#data.push(value);
    if (field === 'event') this.#event = value;
    if (field === 'id' && !value.includes('\0')) this.#id = value;
    return undefined;
  }

  #dispatch(): ServerEvent | undefined {
    const [id, event, lines] = [this.#id, this.#event || 'message', this.#data];
    this.#event = '';
    this.#data = [];
    return lines.length === 0 ? undefined : { id, event, data: lines.join('\n') };
  }
}
