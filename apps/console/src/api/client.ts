import type { HttpApi } from '../../../../schemas/http-api.js';
import { answer, ask } from './exchange.js';
import type {
  Caller,
  Counted,
  Explanation,
  Flow,
  Json,
  JsonObject,
  Summary,
  Task,
  Unreadable,
} from './shapes.js';
import type { AuditItem } from './audit-shapes.js';
import { keepProof } from './console-header.js';
import type { Fault, FaultKind } from './fault-shapes.js';
import type { CommandDefaults, FlowList, FlowPlan, Validation } from './flow-check-shapes.js';
import type { FlowDiff } from './flow-diff-shapes.js';
import type { Delivery, Notification } from './notification-shapes.js';
import type { Operation } from './operation-shapes.js';
import type { Course } from './preview-shapes.js';
import type { Provenance } from './provenance-shapes.js';
import type { FlowStatistics } from './statistics-shapes.js';

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly page: { readonly nextCursor: string | null };
}

/** An action of a person on a task. */
interface Deed {
  readonly taskId: string;
  /** As the address ends: `rollback`. */
  readonly verb: string;
  readonly body: JsonObject;
  /** Of the task that the person saw; null: whatever it is by now. */
  readonly revision: number | null;
  /** The same for every repetition, so that it acts once. */
  readonly key: string;
}

/** The request that makes a task. */
interface Start {
  readonly flow: string;
  readonly parameters: JsonObject;
  readonly labels: JsonObject;
  /** With `given`, for one step by itself. */
  readonly only?: Json;
  readonly given?: Json;
  readonly key: string;
}

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
    const { proof } = await answer<'SignedIn'>('/v1/session', { method: 'POST', headers });
    keepProof(proof ?? null);
  },
  async signOut(): Promise<void> {
    await ask('/v1/session', { method: 'DELETE' });
    keepProof(null);
  },
  /** Tells as whom the reader is signed in. */
  caller(signal?: AbortSignal): Promise<Caller> {
    return answer<'Caller'>('/v1/session', { signal });
  },
  tasks(query: URLSearchParams, signal?: AbortSignal): Promise<Page<Summary | Unreadable>> {
    return answer<'TaskPage'>(`/v1/tasks?${query}`, { signal });
  },
  /** How many tasks fit, by status and by when they were created. */
  counts(query: URLSearchParams, signal?: AbortSignal): Promise<Counted> {
    return answer<'TaskCounts'>(`/v1/tasks:count?${query}`, { signal });
  },
  task(taskId: string, signal?: AbortSignal): Promise<Task> {
    return answer<'Task'>(`/v1/tasks/${encodeURIComponent(taskId)}`, { signal });
  },
  /** The task if it has another revision than this one by now; undefined: it has not. */
  newerTask(taskId: string, revision: number, signal: AbortSignal): Promise<Task | undefined> {
    const headers = { 'if-none-match': `"${revision}"` };
    return ask(`/v1/tasks/${encodeURIComponent(taskId)}`, { headers, signal });
  },
  why(taskId: string, signal?: AbortSignal): Promise<Explanation> {
    return answer<'Explanation'>(`/v1/tasks/${encodeURIComponent(taskId)}/why`, { signal });
  },
  /** For each parameter every value it had, and where these are from. */
  provenance(taskId: string, signal?: AbortSignal): Promise<Provenance> {
    return answer<'Provenance'>(`/v1/tasks/${encodeURIComponent(taskId)}/provenance`, {
      signal,
    });
  },
  /** The course of an action on a task if it were done now. */
  preview(taskId: string, asked: URLSearchParams, signal?: AbortSignal): Promise<Course> {
    return answer<'Preview'>(`/v1/tasks/${encodeURIComponent(taskId)}/preview?${asked}`, {
      signal,
    });
  },
  act({ body, key, revision, taskId, verb }: Deed): Promise<Task | Operation> {
    const headers: Record<string, string> = { 'idempotency-key': key };
    if (revision !== null) headers['if-match'] = `"${revision}"`;
    const task = `/v1/tasks/${encodeURIComponent(taskId)}`;
    if (verb !== 'complete') {
      return answer<'Task' | 'Operation'>(`${task}:${verb}`, { method: 'POST', body, headers });
    }
    const { step, ...report } = body;
    const path = `${task}/steps/${encodeURIComponent(step as string)}:complete`;
    return answer<'Task' | 'Operation'>(path, { method: 'POST', body: report, headers });
  },
  start({ key, ...body }: Start): Promise<{ readonly taskId: string }> {
    return answer<'TaskReceipt'>('/v1/tasks', {
      method: 'POST',
      body,
      headers: { 'idempotency-key': key },
    });
  },
  /** Stores a schedule, unless there is one of that name. */
  addSchedule(name: string, body: JsonObject) {
    const headers = { 'if-none-match': '*' };
    const path = `/v1/schedules/${encodeURIComponent(name)}`;
    return answer<'Schedule'>(path, { method: 'PUT', body, headers });
  },
  changeSchedule({ name, reason, verb }: ScheduleDeed & { readonly verb: string }) {
    const path = `/v1/schedules/${encodeURIComponent(name)}:${verb}`;
    return answer<'Schedule'>(path, { method: 'POST', body: { reason } });
  },
  trigger({ key, name, reason }: ScheduleDeed & { readonly key: string }) {
    const path = `/v1/schedules/${encodeURIComponent(name)}:trigger`;
    const headers = { 'idempotency-key': key };
    return answer<'TaskReceipt'>(path, { method: 'POST', body: { reason }, headers });
  },
  putNotification(name: string, body: JsonObject): Promise<Notification> {
    return answer<'Notification'>(notificationPath(name), { method: 'PUT', body });
  },
  testNotification(name: string): Promise<Delivery> {
    return answer<'Delivery'>(`${notificationPath(name)}:test`, { method: 'POST' });
  },
  async removeNotification(name: string): Promise<void> {
    await ask(notificationPath(name), { method: 'DELETE' });
  },
  deliveries(name: string, signal?: AbortSignal): Promise<{ readonly items: readonly Delivery[] }> {
    return answer<'DeliveryPage'>(`${notificationPath(name)}/deliveries?limit=100`, {
      signal,
    });
  },
  redeliver(name: string, deliveryId: string): Promise<Delivery> {
    return answer<'Delivery'>(`${notificationPath(name)}:redeliver`, {
      method: 'POST',
      body: { deliveryId },
    });
  },
  flows(signal?: AbortSignal): Promise<FlowList> {
    return answer<'Flows'>('/v1/flows', { signal });
  },
  flow(name: string, version: number | null, signal?: AbortSignal): Promise<Flow> {
    const at = version === null ? '' : `/versions/${version}`;
    return answer<'Flow'>(`/v1/flows/${encodeURIComponent(name)}${at}`, { signal });
  },
  /** How the flow did over an `hour`, a `day` or a `month`. */
  statistics(name: string, over: string, signal?: AbortSignal): Promise<FlowStatistics> {
    const path = `/v1/flows/${encodeURIComponent(name)}/statistics?over=${over}`;
    return answer<'FlowStatistics'>(path, { signal });
  },
  diff({ from, name, to }: Compared, signal?: AbortSignal): Promise<FlowDiff> {
    const path = `/v1/flows/${encodeURIComponent(name)}/versions/${from}:diff?to=${to}`;
    return answer<'FlowDiff'>(path, { signal });
  },
  /** Checks the text of a flow as the content of a file: its lines begin with the second. */
  validate(file: string, signal?: AbortSignal): Promise<Validation> {
    return answer<'Validation'>('/v1/flows:validate', { method: 'POST', text: file, signal });
  },
  planDraft(flow: Json, parameters: JsonObject): Promise<FlowPlan> {
    return answer<'FlowPlan'>('/v1/flows:plan', {
      method: 'POST',
      body: { flow, parameters },
    });
  },
  putFlow({ name, reason, text, version }: FlowText): Promise<Flow> {
    const guard = version === null ? { 'if-none-match': '*' } : { 'if-match': `"${version}"` };
    const headers = { ...guard, 'x-backstep-reason': headerOf(reason) };
    const path = `/v1/flows/${encodeURIComponent(name)}`;
    return answer<'StoredFlow'>(path, { method: 'PUT', text, headers });
  },
  executors(signal?: AbortSignal): Promise<HttpApi['Executors']> {
    return answer<'Executors'>('/v1/executors', { signal });
  },
  /** The values that flows inherit, for commands that have some. */
  commandDefaults(signal?: AbortSignal): Promise<{ readonly items: readonly CommandDefaults[] }> {
    return answer<'Commands'>('/v1/commands', { signal });
  },
  startOperation(body: JsonObject, key: string): Promise<Operation> {
    return answer<'Operation'>('/v1/operations', {
      method: 'POST',
      body,
      headers: { 'idempotency-key': key },
    });
  },
  operation(operationId: string): Promise<Operation> {
    return answer<'Operation'>(`/v1/operations/${encodeURIComponent(operationId)}`, {});
  },
  cancelOperation(operationId: string, reason: string): Promise<Operation> {
    const path = `/v1/operations/${encodeURIComponent(operationId)}:cancel`;
    return answer<'Operation'>(path, {
      method: 'POST',
      body: reason === '' ? {} : { reason },
    });
  },
  decide(operationId: string, { comment, verb }: Decision): Promise<Operation> {
    const path = `/v1/operations/${encodeURIComponent(operationId)}:${verb}`;
    return answer<'Operation'>(path, {
      method: 'POST',
      body: comment === '' ? {} : { comment },
    });
  },
  async hasFaultSwitches(signal?: AbortSignal): Promise<boolean> {
    const { faultSwitches } = await answer<'Executors'>('/v1/executors', { signal });
    return faultSwitches;
  },
  faults(signal?: AbortSignal): Promise<{ readonly items: readonly Fault[] }> {
    return ask(FAULTS, { signal });
  },
  /** Switches a step of a flow over; null: off. */
  async setFault({ flow, step }: Omit<Fault, 'kind'>, kind: FaultKind | null): Promise<void> {
    const path = `${FAULTS}/${encodeURIComponent(flow)}/${encodeURIComponent(step)}`;
    if (kind !== null) await ask(path, { method: 'PUT', body: { kind } });
    else await ask(path, { method: 'DELETE' });
  },
  audit(query: URLSearchParams, signal?: AbortSignal): Promise<Page<AuditItem>> {
    return answer<'AuditPage'>(`/v1/audit?${query}`, { signal });
  },
  /** The list at an address. */
  collection(path: string, signal?: AbortSignal): Promise<{ readonly items: readonly unknown[] }> {
    return ask(path, { signal });
  },
};

function notificationPath(name: string): string {
  return `/v1/notifications/${encodeURIComponent(name)}`;
}

/** A header takes bytes: those of the text in UTF-8. */
function headerOf(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}
