import { type JsonObject, listNames } from '#core';
import { mostOf } from '#engine';
import { mayHave } from '#ports';
import { ago, type Cause, CHECK_BROKER, moment } from './cause.js';
import { type NextStep, type Situation, WAIT } from './cause.js';
import { rollbacks } from './rollback-steps.js';
import type { OpenAction } from './step-causes.js';

/** A message that is taken is taken sooner, in milliseconds, where its receivers have room. */
const ON_ITS_WAY_MS = 2_500;

/** Why an action that is queued has not been started. */
export function queueCauses(situation: Situation, open: OpenAction): readonly Cause[] {
  const { action, name, run } = open;
  const { brokerObstacle, depths, executors, now } = situation;
  if (action === undefined) return [];
  const { command, module } = action;
  const since = moment(run.orderAt);
  const known = executors.filter((record) => record.module === module);
  const serving = known.filter(({ silentSince }) => silentSince === null);
  const queued = depths.get(module) ?? null;
  const silent = known.length - serving.length;
  const isSeen = situation.seesModule(module);
  const evidence = evidenceOf(open, isSeen && { executors: serving.length, silent, queued });
  const waited = `${name} has been queued for ${ago(now, run.orderAt)}`;
  const back = open.ref.direction === 'normal' ? rollbacks(situation) : [];
  if (serving.length === 0) {
    const message = `${waited}: ${silenceOf(module, known, now)}.`;
    const start = { action: 'start_executor', label: `Start an executor of ${module}` };
    return [{ code: 'MODULE_NOT_SERVED', message, since, evidence, next: [start, ...back] }];
  }
  if (!serving.some((record) => mayHave(record, command))) {
    const versions = [...new Set(serving.map(({ version }) => version))];
    const commands = [...new Set(serving.flatMap((record) => record.commands))].toSorted();
    const has = isSeen && commands.length > 0 ? `; it has ${listNames(commands)}` : '';
    const message = `${waited}: no executor of ${module} has the command ${command}${has}.`;
    const builds = { ...evidence, ...(isSeen && { versions, commands }) };
    const label = `Start a build of ${module} that has ${command}`;
    const next = [{ action: 'start_executor', label }, ...back];
    return [{ code: 'COMMAND_NOT_SERVED', message, since, evidence: builds, next }];
  }
  if (serving.every(isDraining)) return [drainingCause({ module, since, evidence, waited }, back)];
  // That nothing can be sent is told of the task.
  if (brokerObstacle !== null) return [];
  const sent = { ...evidence, dispatches: run.dispatches, sentAgainAt: moment(run.dueAt) };
  const facts = { module, run, sent, waited };
  const barred = barredCause(situation, facts) ?? limitCause(situation, open, facts);
  if (barred !== null) return [barred];
  const depth = queued ?? 0;
  if (depth > 0) {
    const crowd = isSeen ? crowdOf({ depth, module, now, serving }) : null;
    const message = `${waited}: ${crowd?.message ?? 'others wait as well'}.`;
    const more = { action: 'start_executor', label: `Start more executors of ${module}` };
    const figures = { ...sent, ...crowd?.figures };
    return [{ code: 'QUEUE_DEEP', message, since, evidence: figures, next: [WAIT, more] }];
  }
  if (run.dispatches > 1 || isOverdue(situation, open, serving)) {
    return [lostCause({ run, sent, waited }, since)];
  }
  const message = `${waited}; an executor of ${module} should start it soon.`;
  return [{ code: 'QUEUED', message, since, evidence: sent, next: [WAIT] }];
}

/** Where the action stands, the figures of its module that may be seen, and when it expires. */
function evidenceOf({ place, run }: OpenAction, figures: JsonObject | false): JsonObject {
  const expiresAt = run.deadline === null ? moment(run.expiresAt) : null;
  return { ...place, ...(figures !== false && figures), ...(expiresAt !== null && { expiresAt }) };
}

function isDraining({ draining }: Situation['executors'][number]): boolean {
  return draining === true;
}

/** That every worker of the module drains. */
function drainingCause(
  {
    evidence,
    module,
    since,
    waited,
  }: Pick<Cause, 'evidence' | 'since'> & { readonly module: string; readonly waited: string },
  back: readonly NextStep[],
): Cause {
  const message = `${waited}: every worker of ${module} was told to drain, and gets nothing more.`;
  const start = { action: 'start_executor', label: `Start a worker of ${module}` };
  return { code: 'WORKERS_DRAINING', message, since, evidence, next: [start, ...back] };
}

/** That the limits of its module have the action wait; null: they do not. */
function limitCause(
  { limits, now, seesModule }: Situation,
  { ref, run }: OpenAction,
  { sent, waited, module }: Omit<Barred, 'run'>,
): Cause | null {
  const found = limits.get(module);
  if (found === undefined) return null;
  const { admission, limit } = found;
  const { maxConcurrency, ratePerSecond } = limit;
  const running = admission?.actions.length ?? 0;
  const isFull = running >= mostOf(limit, ref.direction);
  if (!isFull && (ratePerSecond === null || (admission?.nextAt ?? 0) <= now)) return null;
  const isSeen = seesModule(module);
  const bound = isFull
    ? `${running} of ${maxConcurrency} actions run`
    : `${ratePerSecond} start in a second`;
  const told = isSeen ? `${module} is at its limit, ${bound}` : `${module} is at its limit`;
  const evidence = { ...sent, ...(isSeen && { running, maxConcurrency, ratePerSecond }) };
  return {
    code: 'MODULE_AT_LIMIT',
    message: `${waited}: ${told}.`,
    since: moment(run.orderAt),
    evidence,
    next: [WAIT],
  };
}

/** That the message of the action is nowhere, or was taken by nobody. */
function lostCause({ run, sent, waited }: Omit<Barred, 'module'>, since: Cause['since']): Cause {
  const times = run.dispatches === 1 ? 'is in no queue' : `was sent ${run.dispatches} times`;
  const message = `${waited}, and its message ${times}: it was lost, or no executor took it.`;
  return { code: 'DISPATCH_LOST', message, since, evidence: sent, next: [WAIT, CHECK] };
}

/** The facts of a queued action by which the broker or its subscriptions bar it. */
interface Barred {
  readonly module: string;
  readonly run: OpenAction['run'];
  readonly sent: JsonObject;
  readonly waited: string;
}

/** That the broker takes no message of the module, or hands none out; null: neither is known. */
function barredCause(
  { executors, now, receivers, refusals, seesModule }: Situation,
  { module, run, sent, waited }: Barred,
): Cause | null {
  const isSeen = seesModule(module);
  const refusal = refusals.get(module);
  if (refusal !== undefined) {
    const told = isSeen ? refusal.message : `The broker does not take messages for ${module}.`;
    const message = `${waited}. ${told}`;
    const evidence = { ...sent, ...(isSeen && { refusal: refusal.message }) };
    const since = moment(refusal.since);
    return { code: 'MESSAGE_REFUSED', message, since, evidence, next: [CHECK_BROKER, WAIT] };
  }
  // An executor with nothing to do renews its subscription every few seconds.
  const isNew = now - (run.orderAt ?? 0) <= ON_ITS_WAY_MS;
  // For workers a gateway subscribes, and only while some of them wait.
  const hasWorkers = executors.some(({ module: of, silentSince, worker }) => {
    return of === module && worker === true && silentSince === null;
  });
  if (receivers.get(module) !== 0 || isNew || hasWorkers) return null;
  const message =
    `${waited}: the executors of ${module} live, and none is subscribed to its queue. ` +
    'The /readyz of each says why';
  const evidence = { ...sent, ...(isSeen && { receivers: 0 }) };
  const check = { action: 'check_executor', label: `Ask an executor of ${module} for /readyz` };
  return {
    code: 'NOT_SUBSCRIBED',
    message: `${message}.`,
    since: null,
    evidence,
    next: [check, CHECK_BROKER],
  };
}

/**
 * Whether a message that was sent once has been on its way for longer than one takes: it is in no
 * queue, and those who have room have not started the action.
 */
function isOverdue(
  { depths, now, redispatchAfterMs }: Situation,
  { action, run }: OpenAction,
  serving: Situation['executors'],
): boolean {
  if (run.dueAt === null || depths.get(action?.module ?? '') !== 0) return false;
  const sentAt = run.dueAt - redispatchAfterMs;
  return now - sentAt > ON_ITS_WAY_MS && serving.some(({ busy, slots }) => busy < slots);
}

interface Crowd {
  readonly depth: number;
  readonly module: string;
  readonly now: number;
  readonly serving: Situation['executors'];
}

/** How many messages of a module wait, and how busy its executors are. */
function crowdOf({ depth, module, now, serving }: Crowd) {
  const waiting = `${depth} ${depth === 1 ? 'message waits' : 'messages wait'} for ${module}`;
  const figures = { busy: sumOf(serving, 'busy'), slots: sumOf(serving, 'slots') };
  return { message: `${waiting}; its ${stateOf(serving, now)}`, figures };
}

function sumOf(executors: Situation['executors'], figure: 'busy' | 'slots'): number {
  return executors.reduce((sum, record) => sum + record[figure], 0);
}

/** That no executor of a module is there, and, of those that fell silent, for how long. */
function silenceOf(module: string, silent: Situation['executors'], now: number): string {
  if (silent.length === 0) return `no executor of ${module} was seen lately`;
  const last = Math.max(...silent.map(({ silentSince }) => silentSince ?? 0));
  return `no executor of ${module} has been seen for ${ago(now, last)}`;
}

/** Says how busy the executors are that leave messages waiting: one that is gone is not busy. */
function stateOf(serving: Situation['executors'], now: number): string {
  if (serving.every(({ busy, slots }) => busy >= slots)) {
    return `executors are busy (${sumOf(serving, 'busy')} of ${sumOf(serving, 'slots')})`;
  }
  const seenAt = Math.max(...serving.map((record) => record.seenAt));
  return `executors had room when last seen ${ago(now, seenAt)} ago`;
}

const CHECK: NextStep = { action: 'check_executor', label: 'Check that the executors take work' };
