import { guard, quoted } from '../client/http.js';
import type { PastMomentsReport, ScheduleOrderReport, ScheduleReport } from '../client/types.js';
import { CliError, EXIT } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import { titledLines } from '../terminal/table.js';
import {
  type Action,
  type Call,
  listOption,
  restArgs,
  textArg,
  textOption,
  textOptions,
} from '../tree/call.js';
import { idempotencyKey } from './idempotency-key.js';
import { itemsOf } from './pages.js';
import { readNumber, readPairs, readParameters } from './parameters.js';

/** Moments that are told of one schedule where nobody says how many. */
const NEXT_DEFAULT = '5';

const STYLE: RowStyle<ScheduleReport> = {
  name: ({ name }) => name,
  columns: [
    { title: 'NAME', value: ({ name }) => name },
    { title: 'FLOW', value: ({ flow }) => flow },
    { title: 'WHEN', value: whenText },
    { title: 'NEXT', value: nextText },
    { title: 'LAST', value: lastText },
    { title: 'STARTED', value: ({ counts }) => `${counts.started}`, align: 'right' },
    { title: 'SKIPPED', value: ({ counts }) => `${counts.skipped}`, align: 'right' },
    { title: 'FAILED', value: ({ counts }) => `${counts.failed}`, align: 'right' },
  ],
};

const TEXTS = ['flow', 'cron', 'every', 'at', 'timezone', 'overlap', 'catchUp'] as const;

const PAST_STYLE: RowStyle<PastMomentsReport> = {
  name: ({ result }) => result,
  columns: [
    { title: 'FROM', value: ({ from }) => from },
    { title: 'TO', value: ({ to }) => to },
    { title: 'MOMENTS', value: ({ count }) => `${count}`, align: 'right' },
    { title: 'RESULT', value: ({ result }) => result },
    { title: 'WHY', value: ({ message, taskId }) => `${message}${taskId ? ` ${taskId}` : ''}` },
  ],
};

/** `schedule list` */
export async function scheduleList(session: Session): Promise<void> {
  const client = session.asking();
  session.printRows(await itemsOf((query) => client.ask('GET /v1/schedules', { query })), STYLE);
}

/** `schedule get` */
export async function scheduleGet(session: Session, call: Call): Promise<void> {
  const next = textOption(call, 'next') ?? NEXT_DEFAULT;
  printSchedule(
    session,
    await session
      .asking()
      .ask('GET /v1/schedules/{name}', { path: { name: textArg(call, 0) }, query: { next } }),
  );
}

/** `schedule delete` */
export async function scheduleDelete(session: Session, call: Call): Promise<void> {
  const name = textArg(call, 0);
  const headers = guard(textOption(call, 'ifMatch'));
  await session.asking().ask('DELETE /v1/schedules/{name}', { path: { name }, headers });
  session.say(`${name} is gone. The tasks that it started stay.`);
}

/** `schedule pause` and `schedule resume` */
export function changeOf(verb: 'pause' | 'resume'): Action {
  return async (session, call) => {
    const reason = textOption(call, 'reason') ?? '';
    if (reason.trim() === '') throw new CliError(EXIT.usage, '--reason must say why');
    const changed = await session
      .asking()
      .ask(`POST /v1/schedules/{name}:${verb}`, {
        path: { name: textArg(call, 0) },
        body: { reason },
      });
    printSchedule(session, changed);
  };
}

/** `schedule trigger` */
export async function scheduleTrigger(session: Session, call: Call): Promise<void> {
  const client = session.asking();
  const reason = textOption(call, 'reason');
  const receipt = await client.ask('POST /v1/schedules/{name}:trigger', {
    path: { name: textArg(call, 0) },
    body: reason === undefined ? {} : { reason },
    headers: { 'idempotency-key': quoted(await idempotencyKey(call)) },
  });
  const { taskId } = receipt;
  session.printOne(receipt, () => [taskId]);
  if (!session.options.output.startsWith('json'))
    session.say(`next: ${session.typed(`task watch ${taskId}`)}`);
}

/** One schedule, line by line, or as data. */
export function printSchedule(session: Session, schedule: ScheduleReport): void {
  session.printOne(schedule, () => titledLines(linesOf(schedule)), [schedule.name]);
}

function linesOf(schedule: ScheduleReport): readonly (readonly [title: string, text: string])[] {
  const { catchUp, counts, flow, generation, labels, lastError, lastSkipped } = schedule;
  const { name, next = [], overlap, parameters, pause, timezone, waiting } = schedule;
  return [
    ['name', `${name} (generation ${generation})`],
    ['flow', flow],
    ['parameters', JSON.stringify(parameters ?? {})],
    ['labels', JSON.stringify(labels ?? {})],
    ['when', `${whenText(schedule)} (${timezone})`],
    ...authorLine(schedule),
    ['overlap', overlap],
    ['catch up', catchUp],
    ...(pause === null ? [] : [['paused', pauseText(pause)] as const]),
    ['next', next.length > 0 ? next.join(', ') : nextText(schedule)],
    ...(waiting.length === 0 ? [] : [['waiting', waiting.join(', ')] as const]),
    ['last run', lastText(schedule)],
    ['last skipped', lastSkipped === null ? '-' : `${lastSkipped.moment}: ${lastSkipped.reason}`],
    ['last error', lastError === null ? '-' : errorText(lastError)],
    [
      'moments',
      `${counts.started} started by the clock, ${counts.skipped} skipped, ${counts.failed} failed`,
    ],
  ];
}

function authorLine({ author, updatedBy = '' }: ScheduleReport) {
  if (author?.gone !== true) return [];
  return [['author', `${updatedBy}, whose key is no longer valid`] as const];
}

function whenText({ at, cron, every }: ScheduleReport): string {
  if (cron !== undefined) return cron;
  return every !== undefined ? `every ${secondsText(every)}` : `at ${at}`;
}

function secondsText(every: string | number): string {
  return typeof every === 'number' ? `${every}s` : every;
}

function nextText({ nextAt, paused }: ScheduleReport): string {
  return paused ? 'paused' : (nextAt ?? '-');
}

function lastText({ lastRun }: ScheduleReport): string {
  if (lastRun === null) return '-';
  return `${lastRun.moment ?? `${lastRun.at} by hand`} ${lastRun.taskId ?? '-'}`;
}

function pauseText({ by, reason, since }: NonNullable<ScheduleReport['pause']>): string {
  return `by ${by}, ${since}${reason === null ? '' : `: ${reason}`}`;
}

function errorText(error: NonNullable<ScheduleReport['lastError']>): string {
  const { code, message, moment, retried } = error;
  return `${moment}: ${message} (${code}${retried ? ', tried again' : ''})`;
}

/** `schedule put` */
export async function schedulePut(session: Session, call: Call): Promise<void> {
  const order = await readOrder(session, call);
  const stored = await session
    .asking()
    .ask('PUT /v1/schedules/{name}', {
      path: { name: textArg(call, 0) },
      body: order,
      headers: guard(textOption(call, 'ifMatch')),
    });
  printSchedule(session, stored);
}

/** The order from the file, with the options laid over it. */
async function readOrder(session: Session, call: Call): Promise<ScheduleOrderReport> {
  const file = textOption(call, 'file');
  const base = await readParameters({ input: file, pairs: [] }, session.terminal);
  const written = { input: textOption(call, 'input'), pairs: restArgs(call) };
  const parameters = await readParameters(written, session.terminal);
  const labels = listOption(call, 'label');
  const priority = readNumber(textOption(call, 'priority'), '--priority');
  const order = {
    ...base,
    ...textOptions(call, TEXTS),
    ...(parameters !== undefined && { parameters }),
    ...(labels.length > 0 && { labels: readPairs(labels, 'a label') }),
    ...(priority !== undefined && { priority }),
    ...(call.options['paused'] === true && { paused: true }),
  } as Partial<ScheduleOrderReport>;
  const { flow } = order;
  if (flow !== undefined) return { ...order, flow };
  throw new CliError(EXIT.usage, 'say what it starts', 'Write --flow, or name a --file.');
}

/** `schedule why`: how its latest moments fared, how it stands, and what to do about it. */
export async function scheduleWhy(session: Session, call: Call): Promise<void> {
  const explained = await session
    .asking()
    .ask('GET /v1/schedules/{name}/why', { path: { name: textArg(call, 0) } });
  if (session.options.output === 'json') session.printJson(explained);
  else session.printRows(explained.past, PAST_STYLE);
  for (const { message, next } of explained.causes) {
    session.say(message);
    for (const { action, label } of next) session.say(`  ${action}: ${label}`);
  }
}
