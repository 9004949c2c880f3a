/** A request of a test. */
export interface Ask {
  readonly method?: string;
  /** Path and query. */
  readonly path: string;
  /** Sent as JSON; text is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Longest wait for the answer, in milliseconds. Default: 10 seconds. */
  readonly withinMs?: number;
}

/** An answer with its body read: JSON where it says so, else text. */
export interface Answer<T = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** One half of a step, as a task shows it. */
export interface RunView {
  readonly state: string;
  readonly code: number;
  readonly attempts: number;
  readonly message: string | null;
}

/** A whole task, as HTTP shows it: what tests look at. */
export interface TaskView {
  readonly taskId: string;
  readonly flow: string;
  readonly taskStatus: number;
  readonly status: string;
  readonly taskMessage: string | null;
  readonly revision: number;
  readonly timeEnd: number | null;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Absent in answers of older builds; null: it is no child task. */
  readonly parent?: { readonly taskId: string } | null;
  /** Absent in answers of older builds; null: its flow names none. */
  readonly failureFlow?: { readonly name: string; readonly taskId: string | null } | null;
  readonly steps: readonly (RunView & {
    readonly name: string;
    readonly needs: readonly string[];
    readonly output: Readonly<Record<string, unknown>> | null;
    readonly rollback: RunView | null;
  })[];
}

/** One entry of a task's journal. */
export interface EventView {
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  readonly step?: string;
  /** Id of that step's run, where it is not the step's name. */
  readonly run?: string;
  readonly direction?: string;
  readonly attempt?: number;
  readonly actor: string;
  readonly message?: string;
}

const ANSWER_MS = 10_000;
const PAGE = 200;

/** A client of the HTTP interface that takes nothing for granted. */
export class Api {
  constructor(readonly url: string) {}

  async ask<T = unknown>({ method, path, body, headers, withinMs }: Ask): Promise<Answer<T>> {
    const isText = typeof body === 'string';
    const response = await fetch(`${this.url}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(withinMs ?? ANSWER_MS),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    const read = (isJson ? JSON.parse(text) : text) as T;
    return { status: response.status, headers: response.headers, body: read };
  }

  /** The body of an answer that has to be a good one. */
  async get<T>(path: string): Promise<T> {
    const { body, status } = await this.ask<T>({ path });
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  /** Creates a task and waits for nothing; returns its id. */
  async create(flow: string, parameters: object = {}): Promise<string> {
    const ask = { path: '/v1/tasks', body: { flow, parameters } };
    const { body, status } = await this.ask<TaskView>(ask);
    if (status !== 201) throw new Error(`${flow}: ${status} ${JSON.stringify(body)}`);
    return body.taskId;
  }

  /** Creates a task and waits until it stands still, or as long as `wait` says. */
  async run(flow: string, parameters: object = {}, wait = '20s'): Promise<TaskView> {
    const path = `/v1/tasks?wait=${wait}`;
    const ask = { path, body: { flow, parameters }, withinMs: 60_000 };
    const { body, status } = await this.ask<TaskView>(ask);
    if (status !== 201) throw new Error(`${flow}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  /** A person's action on a task. */
  act(taskId: string, verb: string, body: object): Promise<Answer<TaskView>> {
    return this.ask({ path: `/v1/tasks/${taskId}:${verb}`, body });
  }

  task(taskId: string): Promise<TaskView> {
    return this.get(`/v1/tasks/${taskId}`);
  }

  async events(taskId: string): Promise<readonly EventView[]> {
    const { items } = await this.get<{ items: EventView[] }>(`/v1/tasks/${taskId}/events`);
    return items;
  }

  /** Every task that fits, whole, over all pages. */
  async list(query = ''): Promise<readonly TaskView[]> {
    const tasks: TaskView[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const at: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page: TaskPage = await this.get(`/v1/tasks?full=true&limit=${PAGE}${query}${at}`);
      tasks.push(...page.items);
      cursor = page.page.nextCursor;
    }
    return tasks;
  }
}

interface TaskPage {
  readonly items: readonly TaskView[];
  readonly page: { readonly nextCursor: string | null };
}
