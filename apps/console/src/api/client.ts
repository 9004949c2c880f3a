import type { HttpApi } from '../../../../schemas/http-api.js';
import { answerTo, ask, type Asked, type At, textAt } from './exchange.js';
import type {
  AuditItem,
  Caller,
  CommandDefaults,
  Counted,
  Course,
  Delivery,
  Explanation,
  Fault,
  FaultKind,
  Flow,
  FlowDiff,
  FlowList,
  FlowPlan,
  FlowStatistics,
  Json,
  JsonObject,
  ModuleLimit,
  Notification,
  Operation,
  Provenance,
  Summary,
  Task,
  Unreadable,
  Validation,
  Verb,
} from './shapes.js';
import { keepProof } from './console-header.js';

type Query<A extends At> = NonNullable<Asked<A>['query']>;

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly page: { readonly nextCursor: string | null };
}

/** An action of a person on a task. */
interface Deed {
  readonly taskId: string;
  readonly verb: Verb;
  readonly body: JsonObject;
  /** Of the task that the person saw; null: whatever it is by now. */
  readonly revision: number | null;
  /** The same for every repetition, so that it acts once. */
  readonly key: string;
}

/** The request that makes a task. */
type Start = Omit<HttpApi['CreateTask'], 'idempotencyKey'> & { readonly key: string };

/** The target and the reason of an action on a schedule. */
interface ScheduleDeed {
  readonly name: string;
  readonly reason: string;
}

/** The decision of a second person about an operation that waits for it. */
interface Decision {
  readonly verb: 'approve' | 'reject';
  readonly comment: string;
}

/** Two versions of a flow. */
interface Compared {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The text of a flow that is to be its newest version. */
interface FlowText {
  readonly name: string;
  /** With comments, without the name and the file around it. */
  readonly text: string;
  /** The version that the author knows as the newest; null: there is none. */
  readonly version: number | null;
  readonly reason: string;
}

const FAULTS = '/modules/lab/faults';
/** Requests of the public interface. Each throws {@link Refused} or {@link Away}. */
export const api = {
  /** Has the browser keep a credential, once the server has taken it, out of reach of scripts. */
  async signIn(credential: string): Promise<void> {
    const headers = { authorization: `Bearer ${credential}` };
    const { proof } = await ask('POST /v1/session', { headers });
    keepProof(proof ?? null);
  },
  async signOut(): Promise<void> {
    await ask('DELETE /v1/session', {});
    keepProof(null);
  },
  /** Tells as whom the reader is signed in. */
  caller(signal?: AbortSignal): Promise<Caller> {
    return ask('GET /v1/session', { signal });
  },
  tasks(query: Query<'GET /v1/tasks'>, signal?: AbortSignal): Promise<Page<Summary | Unreadable>> {
    return ask('GET /v1/tasks', { query, signal });
  },
  /** How many tasks fit, by status and by when they were created. */
  counts(query: Query<'GET /v1/tasks:count'>, signal?: AbortSignal): Promise<Counted> {
    return ask('GET /v1/tasks:count', { query, signal });
  },
  task(taskId: string, signal?: AbortSignal): Promise<Task> {
    return ask('GET /v1/tasks/{taskId}', { path: { taskId }, signal });
  },
  /** The task if it has another revision than this one by now; undefined: it has not. */
  newerTask(taskId: string, revision: number, signal: AbortSignal): Promise<Task | undefined> {
    const headers = { 'if-none-match': `"${revision}"` };
    return ask('GET /v1/tasks/{taskId}', { path: { taskId }, headers, signal });
  },
  why(taskId: string, signal?: AbortSignal): Promise<Explanation> {
    return ask('GET /v1/tasks/{taskId}/why', { path: { taskId }, signal });
  },
  /** For each parameter every value it had, and where these are from. */
  provenance(taskId: string, signal?: AbortSignal): Promise<Provenance> {
    return ask('GET /v1/tasks/{taskId}/provenance', { path: { taskId }, signal });
  },
  /** The course of an action on a task if it were done now. */
  preview(
    taskId: string,
    query: Query<'GET /v1/tasks/{taskId}/preview'>,
    signal?: AbortSignal,
  ): Promise<Course> {
    return ask('GET /v1/tasks/{taskId}/preview', { path: { taskId }, query, signal });
  },
  act({ body, key, revision, taskId, verb }: Deed): Promise<Task | Operation> {
    const guard = revision === null ? {} : { 'if-match': `"${revision}"` };
    const headers = { 'idempotency-key': key, ...guard };
    // Which members go with which action is the gateway's to say.
    const form = body as never;
    if (verb !== 'complete') {
      const at = `POST /v1/tasks/{taskId}:${verb}` as const;
      return ask(at, { path: { taskId }, body: form, headers });
    }
    const { step, ...report } = body;
    const at = 'POST /v1/tasks/{taskId}/steps/{run}:complete';
    const path = { taskId, run: step as string };
    return ask(at, { path, body: report, headers }) as Promise<Task | Operation>;
  },
  start({ key, ...body }: Start): Promise<{ readonly taskId: string }> {
    return ask('POST /v1/tasks', { body, headers: { 'idempotency-key': key } });
  },
  /** Stores a schedule, unless there is one of that name. */
  addSchedule(name: string, body: HttpApi['PutSchedule']) {
    const headers = { 'if-none-match': '*' };
    return ask('PUT /v1/schedules/{name}', { path: { name }, body, headers });
  },
  changeSchedule({ name, reason, verb }: ScheduleDeed & { readonly verb: 'pause' | 'resume' }) {
    return ask(`POST /v1/schedules/{name}:${verb}`, { path: { name }, body: { reason } });
  },
  trigger({ key, name, reason }: ScheduleDeed & { readonly key: string }) {
    const headers = { 'idempotency-key': key };
    return ask('POST /v1/schedules/{name}:trigger', { path: { name }, body: { reason }, headers });
  },
  /** Stores a notification in the place of the one that the person saw; null: of none. */
  putNotification(name: string, body: HttpApi['PutNotification'], before: Notification | null) {
    const headers = before === null ? { 'if-none-match': '*' } : generationOf(before);
    return ask('PUT /v1/notifications/{name}', { path: { name }, body, headers });
  },
  testNotification(name: string): Promise<Delivery> {
    return ask('POST /v1/notifications/{name}:test', { path: { name } });
  },
  removeNotification(name: string): Promise<void> {
    return ask('DELETE /v1/notifications/{name}', { path: { name } });
  },
  deliveries(name: string, signal?: AbortSignal): Promise<{ readonly items: readonly Delivery[] }> {
    const query = { limit: 100 };
    return ask('GET /v1/notifications/{name}/deliveries', { path: { name }, query, signal });
  },
  redeliver(name: string, deliveryId: string): Promise<Delivery> {
    return ask('POST /v1/notifications/{name}:redeliver', { path: { name }, body: { deliveryId } });
  },
  flows(signal?: AbortSignal): Promise<FlowList> {
    return whole((query) => ask('GET /v1/flows', { query, signal }));
  },
  flow(name: string, version: number | null, signal?: AbortSignal): Promise<Flow> {
    if (version === null) return ask('GET /v1/flows/{name}', { path: { name }, signal });
    return ask('GET /v1/flows/{name}/versions/{version}', { path: { name, version }, signal });
  },
  /** A version as its author wrote it; null: no text of it was stored. */
  source(name: string, version: number, signal: AbortSignal): Promise<string | null> {
    const at = 'GET /v1/flows/{name}/versions/{version}/source';
    return textAt(at, { path: { name, version: `${version}` }, signal });
  },
  /** How the flow did over an `hour`, a `day` or a `month`. */
  statistics(name: string, over: string, signal?: AbortSignal): Promise<FlowStatistics> {
    return ask('GET /v1/flows/{name}/statistics', { path: { name }, query: { over }, signal });
  },
  diff({ from: version, name, to }: Compared, signal?: AbortSignal): Promise<FlowDiff> {
    const path = { name, version };
    return ask('GET /v1/flows/{name}/versions/{version}:diff', { path, query: { to }, signal });
  },
  /** Checks the text of a flow as the content of a file: its lines begin with the second. */
  validate(file: string, signal?: AbortSignal): Promise<Validation> {
    return ask('POST /v1/flows:validate', { text: file, signal });
  },
  planDraft(flow: Json, parameters: JsonObject): Promise<FlowPlan> {
    return ask('POST /v1/flows:plan', { body: { flow: flow as JsonObject, parameters } });
  },
  putFlow({ name, reason, text, version }: FlowText) {
    const guard = version === null ? { 'if-none-match': '*' } : { 'if-match': `"${version}"` };
    const headers = { ...guard, 'x-backstep-reason': headerOf(reason) };
    return ask('PUT /v1/flows/{name}', { path: { name }, text, headers });
  },
  executors(signal?: AbortSignal): Promise<HttpApi['Executors']> {
    return whole((query) => ask('GET /v1/executors', { query, signal }));
  },
  /** Attempts of steps that run now, the oldest first. */
  attempts(query: Query<'GET /v1/attempts'>, signal?: AbortSignal): Promise<HttpApi['Attempts']> {
    return ask('GET /v1/attempts', { query, signal });
  },
  /** The modules with limits, and what runs and waits under these. */
  async limits(signal?: AbortSignal): Promise<readonly ModuleLimit[]> {
    return (await whole((query) => ask('GET /v1/limits', { query, signal }))).items;
  },
  /** Stores limits in the place of those that the person saw; null: there were none. */
  putLimit(module: string, body: HttpApi['PutLimits'], before: ModuleLimit | null) {
    const headers = before === null ? { 'if-none-match': '*' } : generationOf(before);
    return ask('PUT /v1/limits/{module}', { path: { module }, body, headers });
  },
  removeLimit(limit: ModuleLimit): Promise<void> {
    const { module } = limit;
    return ask('DELETE /v1/limits/{module}', { path: { module }, headers: generationOf(limit) });
  },
  /** Has a worker drain, or get actions again. */
  async setWorker(worker: string, state: 'active' | 'draining'): Promise<void> {
    await ask('PUT /v1/workers/{worker}', { path: { worker }, body: { state } });
  },
  /** The values that flows inherit, for commands that have some. */
  commandDefaults(signal?: AbortSignal): Promise<{ readonly items: readonly CommandDefaults[] }> {
    return whole((query) => ask('GET /v1/commands', { query, signal }));
  },
  startOperation(body: HttpApi['StartOperation'], key: string): Promise<Operation> {
    return ask('POST /v1/operations', { body, headers: { 'idempotency-key': key } });
  },
  operation(operationId: string): Promise<Operation> {
    return ask('GET /v1/operations/{operationId}', { path: { operationId } });
  },
  cancelOperation(operationId: string, reason: string): Promise<Operation> {
    const body = reason === '' ? {} : { reason };
    return ask('POST /v1/operations/{operationId}:cancel', { path: { operationId }, body });
  },
  decide(operationId: string, { comment, verb }: Decision): Promise<Operation> {
    const body = comment === '' ? {} : { comment };
    return ask(`POST /v1/operations/{operationId}:${verb}`, { path: { operationId }, body });
  },
  async hasFaultSwitches(signal?: AbortSignal): Promise<boolean> {
    return (await ask('GET /v1/executors', { query: { limit: '1' }, signal })).faultSwitches;
  },
  faults(signal?: AbortSignal): Promise<{ readonly items: readonly Fault[] }> {
    return answerTo(`GET ${FAULTS}`, { signal });
  },
  /** Switches a step of a flow over; null: off. */
  async setFault(path: Omit<Fault, 'kind'>, kind: FaultKind | null): Promise<void> {
    const one = `${FAULTS}/{flow}/{step}`;
    if (kind !== null) await answerTo(`PUT ${one}`, { path: { ...path }, body: { kind } });
    else await answerTo(`DELETE ${one}`, { path: { ...path } });
  },
  audit(query: Query<'GET /v1/audit'>, signal?: AbortSignal): Promise<Page<AuditItem>> {
    return ask('GET /v1/audit', { query, signal });
  },
};

/** All pages of a list as one: what the first one says beside its items is said of all of them. */
async function whole<Listed extends Page<unknown>>(
  ask: (query: { readonly cursor?: string }) => Promise<Listed>,
): Promise<Listed> {
  const first = await ask({});
  const items = [...first.items];
  let cursor = first.page.nextCursor;
  while (cursor !== null) {
    const next: Listed = await ask({ cursor });
    items.push(...next.items);
    cursor = next.page.nextCursor;
  }
  return { ...first, items };
}

/** The header by which a change is refused where it would replace something else by now. */
function generationOf({ generation }: Pick<ModuleLimit | Notification, 'generation'>): {
  readonly 'if-match': string;
} {
  return { 'if-match': `"${generation}"` };
}

/** A header takes bytes: those of the text in UTF-8. */
function headerOf(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}
