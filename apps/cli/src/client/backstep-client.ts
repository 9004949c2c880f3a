import type { KeyOrder } from '#access';
import type { Validation } from '#flow-files';
import { abortable } from '#machine';
import { AuditClient } from './audit-client.js';
import { EventReader } from './event-source.js';
import type {
  ActionOrder,
  BatchReport,
  CompletedReport,
  CompletionOrder,
  CountReport,
  AttemptPage,
  DiffReport,
  ExecutorReport,
  ExecutorsReport,
  FlowPlanReport,
  FlowReport,
  FlowStatisticsReport,
  FlowsReport,
  HostReport,
  JsonObject,
  KeyReport,
  LockReport,
  OperationOrder,
  OperationPage,
  OperationReport,
  ProvenanceReport,
  StoredFlowReport,
  TaskEvent,
  TaskOrder,
  TaskPage,
  TaskReceipt,
  TaskReport,
  Verb,
  VersionPage,
} from './types.js';
import { type Ask, ask, guard, type HttpOptions, quoted, send } from './http.js';
import { flowPath, operationPath, taskPath } from './paths.js';
import { NotificationClient } from './notification-client.js';
import { ScheduleClient } from './schedule-client.js';
import { OutlookClient } from './outlook-client.js';
import { readAnswer } from './read-answer.js';

/** One page of a list. */
interface Paged {
  /** Absent: the gateway is of an older build. */
  readonly page?: { readonly nextCursor: string | null };
}

interface KeyPage extends Paged {
  readonly items: readonly KeyReport[];
}

/** Backstep's HTTP interface, typed. Every error is a `CliError`. */
export class BackstepClient {
  constructor(readonly options: HttpOptions) {}

  /** The requests about the audit log. */
  get audit(): AuditClient {
    return new AuditClient(this.options);
  }

  /** The requests about notifications. */
  get notifications(): NotificationClient {
    return new NotificationClient(this.options);
  }

  /** The requests about the course of tasks. */
  get outlook(): OutlookClient {
    return new OutlookClient(this.options);
  }

  /** The requests about schedules. */
  get schedules(): ScheduleClient {
    return new ScheduleClient(this.options);
  }

  async createTask(order: TaskOrder, key: string): Promise<TaskReceipt> {
    const headers = { 'idempotency-key': quoted(key) };
    return this.#json({ method: 'POST', path: 'v1/tasks', body: order, headers });
  }

  async createTasks(tasks: readonly TaskOrder[]): Promise<BatchReport['results']> {
    const request = { method: 'POST', path: 'v1/tasks:batch', body: { tasks } } as const;
    return (await this.#json<BatchReport>(request)).results;
  }

  async getTask(taskId: string): Promise<TaskReport> {
    return this.#json({ path: taskPath(taskId) });
  }

  async listTasks(query: Readonly<Record<string, string>>): Promise<TaskPage> {
    const search = new URLSearchParams(query).toString();
    return this.#json({ path: `v1/tasks${search && `?${search}`}` });
  }

  async countTasks(query: Readonly<Record<string, string>>): Promise<CountReport> {
    const search = new URLSearchParams(query).toString();
    return this.#json({ path: `v1/tasks:count${search && `?${search}`}` });
  }

  /** The events so far. */
  async events(taskId: string, after = 0): Promise<readonly TaskEvent[]> {
    const headers = { 'last-event-id': `${after}` };
    const path = `${taskPath(taskId)}/events`;
    return (await this.#json<{ items: readonly TaskEvent[] }>({ path, headers })).items;
  }

  /** Events as they happen, those of one moment together; ends when the stream does. */
  async *stream(taskId: string, after: number): AsyncGenerator<readonly TaskEvent[]> {
    const headers = { accept: 'text/event-stream', 'last-event-id': `${after}` };
    const answer = await send({ path: `${taskPath(taskId)}/events`, headers }, this.options);
    if (answer.body === null) return;
    const reader = answer.body.getReader();
    const events = new EventReader();
    const decoder = new TextDecoder();
    try {
      for (;;) {
        const { done, value } = await abortable(reader.read(), this.options.signal);
        if (done) return;
        const messages = events.read(decoder.decode(value, { stream: true }));
        if (messages.length > 0)
          yield messages.map(({ data }) => readAnswer(data, this.options.url) as TaskEvent);
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
    return this.#json({
      method: 'POST',
      path: `${taskPath(taskId)}:${verb}`,
      body,
      headers: {
        'idempotency-key': quoted(key),
        ...(revision !== undefined && { 'if-match': quoted(revision) }),
      },
    });
  }

  /**
   * Says how an attempt ended that was left to somebody outside. Gives the task, to a worker the
   * run alone, or the operation by which it waits for a second person.
   */
  async complete(
    taskId: string,
    { key, revision, run, ...body }: CompletionOrder,
  ): Promise<TaskReport | CompletedReport | OperationReport> {
    return this.#json({
      method: 'POST',
      path: `${taskPath(taskId)}/steps/${encodeURIComponent(run)}:complete`,
      body,
      headers: {
        ...(key !== undefined && { 'idempotency-key': quoted(key) }),
        ...(revision !== undefined && { 'if-match': quoted(revision) }),
      },
    });
  }

  /** The caller as the server knows it. */
  whoAmI(): Promise<unknown> {
    return this.#json({ path: 'v1/session' });
  }

  /** Flows at their newest version, and the mistakes in flow files. */
  async listFlows(): Promise<FlowsReport> {
    const pages = await this.#pages<FlowsReport & Paged>('v1/flows');
    return { ...pages[0], items: pages.flatMap(({ items }) => items) };
  }

  async getFlow(name: string, version?: string): Promise<FlowReport> {
    const suffix = version === undefined ? '' : `/versions/${encodeURIComponent(version)}`;
    return this.#json({ path: `${flowPath(name)}${suffix}` });
  }

  /** Checks the text of a flow file with the modules, commands and flows that the gateway knows. */
  validateFlowFile(text: string): Promise<Validation> {
    return this.#json({ method: 'POST', path: 'v1/flows:validate', text });
  }

  /** `revision`: the version that must be the newest, or `*`; 0: the name must be new. */
  async putFlow(name: string, flow: unknown, revision?: string): Promise<StoredFlowReport> {
    return this.#json({
      method: 'PUT',
      path: flowPath(name),
      body: flow,
      headers: guard(revision),
    });
  }

  async retireFlow(name: string, revision?: string): Promise<void> {
    const request = { method: 'DELETE', path: flowPath(name), headers: guard(revision) } as const;
    await send(request, this.options);
  }

  async listVersions(name: string, cursor: string | null): Promise<VersionPage> {
    const query = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    return this.#json({ path: `${flowPath(name)}/versions?limit=200${query}` });
  }

  /** Over an `hour`, a `day` or a `month`; default: a day. */
  flowStatistics(name: string, over?: string): Promise<FlowStatisticsReport> {
    const query = over === undefined ? '' : `?over=${encodeURIComponent(over)}`;
    return this.#json({ path: `${flowPath(name)}/statistics${query}` });
  }

  async diffFlow(name: string, from: string, to?: string): Promise<DiffReport> {
    const query = to === undefined ? '' : `?to=${encodeURIComponent(to)}`;
    const path = `${flowPath(name)}/versions/${encodeURIComponent(from)}:diff${query}`;
    return this.#json({ path });
  }

  planFlow(name: string, parameters: JsonObject): Promise<FlowPlanReport> {
    return this.#json({ method: 'POST', path: `${flowPath(name)}:plan`, body: { parameters } });
  }

  async listExecutors(): Promise<readonly ExecutorReport[]> {
    return (await this.executors()).items;
  }

  /** The executors, and the modules that no executor serves. */
  executors(): Promise<ExecutorsReport> {
    return this.#json<ExecutorsReport>({ path: 'v1/executors' });
  }

  /** One page of the attempts that run now, the oldest first. */
  listAttempts(query: Readonly<Record<string, string>>): Promise<AttemptPage> {
    return this.#json({ path: `v1/attempts?${new URLSearchParams(query).toString()}` });
  }

  async listLocks(): Promise<readonly LockReport[]> {
    return (await this.#json<{ items: readonly LockReport[] }>({ path: 'v1/locks' })).items;
  }

  /** By the names of parameters: what they were, the last of it is what they are. */
  getProvenance(taskId: string): Promise<ProvenanceReport> {
    return this.#json({ path: `${taskPath(taskId)}/provenance` });
  }

  async listHosts(): Promise<readonly HostReport[]> {
    const path = 'modules/resource/hosts';
    return (await this.#json<{ items: readonly HostReport[] }>({ path })).items;
  }

  startOperation(order: OperationOrder, key: string): Promise<OperationReport> {
    const headers = { 'idempotency-key': quoted(key) };
    return this.#json({ method: 'POST', path: 'v1/operations', body: order, headers });
  }

  getOperation(operationId: string): Promise<OperationReport> {
    return this.#json({ path: operationPath(operationId) });
  }

  listOperations(query: Readonly<Record<string, string>>): Promise<OperationPage> {
    return this.#json({ path: `v1/operations?${new URLSearchParams(query).toString()}` });
  }

  tellOperation(
    operationId: string,
    verb: 'approve' | 'cancel' | 'reject',
    body: Readonly<Record<string, string | undefined>>,
  ): Promise<OperationReport> {
    return this.#json({ method: 'POST', path: `${operationPath(operationId)}:${verb}`, body });
  }

  async createKey(order: KeyOrder): Promise<KeyReport & { readonly key: string }> {
    return this.#json({ method: 'POST', path: 'v1/keys', body: order, isOnce: true });
  }

  async listKeys(): Promise<readonly KeyReport[]> {
    const pages = await this.#pages<KeyPage>('v1/keys');
    return pages.flatMap(({ items }) => items);
  }

  async revokeKey(id: string): Promise<void> {
    const path = `v1/keys/${encodeURIComponent(id)}`;
    await send({ method: 'DELETE', path, isOnce: true }, this.options);
  }

  /** The pages of a list, in their order; a gateway of an older build has one. */
  async #pages<Page extends Paged>(path: string): Promise<readonly Page[]> {
    const pages: Page[] = [];
    let cursor: string | null = null;
    do {
      const query = cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`;
      const page: Page = await this.#json<Page>({ path: `${path}${query}` });
      pages.push(page);
      cursor = page.page?.nextCursor ?? null;
    } while (cursor !== null);
    return pages;
  }

  async #json<T>(request: Ask): Promise<T> {
    return ask(request, this.options);
  }
}
