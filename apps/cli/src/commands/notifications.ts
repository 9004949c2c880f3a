import { plainLine } from '#wording';
import { guard } from '../client/http.js';
import type {
  DeliveryReport,
  NotificationOrderReport,
  NotificationReport,
} from '../client/types.js';
import { CliError, EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import { type Call, textArg, textOption } from '../tree/call.js';
import { pagesOf } from './pages.js';
import { readNumber, readParameters } from './parameters.js';

/** Most that the server gives at a time. */
const PAGE_MAX = 200;

/** Messages that are listed where nobody says how many. */
const DELIVERIES_DEFAULT = 50;

const STYLE: RowStyle<NotificationReport> = {
  name: ({ name }) => name,
  columns: [
    { title: 'NAME', value: ({ name }) => name },
    { title: 'ON', value: ({ on }) => on.join(',') },
    { title: 'TASKS', value: ({ q }) => q ?? 'all' },
    { title: 'CHANNEL', value: channelText },
    { title: 'THROTTLE', value: ({ throttle }) => (throttle === 0 ? '-' : `${throttle}s`) },
  ],
};

const DELIVERY_STYLE: RowStyle<DeliveryReport> = {
  name: ({ deliveryId }) => deliveryId,
  columns: [
    { title: 'DELIVERY', value: ({ deliveryId }) => deliveryId },
    { title: 'AT', value: ({ createdAt }) => createdAt },
    { title: 'ON', value: ({ on, phase }) => (phase === 'resolved' ? `${on} over` : on) },
    { title: 'SUBJECT', value: ({ subject }) => subject },
    { title: 'STATE', value: ({ state }) => state },
    { title: 'TRIED', value: ({ attempts }) => `${attempts}`, align: 'right' },
    { title: 'MESSAGE', value: ({ lastError, message }) => lastError ?? message },
  ],
};

/** `notification list` */
export async function notificationList(session: Session): Promise<ExitCode> {
  const client = session.asking();
  const found: NotificationReport[] = [];
  const limits = { wanted: Infinity, pageMax: PAGE_MAX };
  for await (const items of pagesOf(
    (query) => client.ask('GET /v1/notifications', { query }),
    limits,
  ))
    found.push(...items);
  session.printRows(found, STYLE);
  return EXIT.done;
}

/** `notification get` */
export async function notificationGet(session: Session, call: Call): Promise<ExitCode> {
  printNotification(
    session,
    await session.asking().ask('GET /v1/notifications/{name}', pathOf(call)),
  );
  return EXIT.done;
}

/** `notification put` */
export async function notificationPut(session: Session, call: Call): Promise<ExitCode> {
  const order = await readOrder(session, call);
  const headers = guard(textOption(call, 'ifMatch'));
  const asked = { ...pathOf(call), body: order, headers };
  const stored = await session.asking().ask('PUT /v1/notifications/{name}', asked);
  printNotification(session, stored);
  return EXIT.done;
}

/** `notification delete` */
export async function notificationDelete(session: Session, call: Call): Promise<ExitCode> {
  const name = textArg(call, 0);
  const headers = guard(textOption(call, 'ifMatch'));
  await session.asking().ask('DELETE /v1/notifications/{name}', { ...pathOf(call), headers });
  session.say(`${name} is removed. Messages that are not delivered yet are dropped.`);
  return EXIT.done;
}

/** `notification test` */
export async function notificationTest(session: Session, call: Call): Promise<ExitCode> {
  const sent = await session.asking().ask('POST /v1/notifications/{name}:test', pathOf(call));
  session.printRows([sent], DELIVERY_STYLE);
  return sent.state === 'delivered' ? EXIT.done : EXIT.endedOtherwise;
}

/** `notification deliveries` */
export async function notificationDeliveries(session: Session, call: Call): Promise<ExitCode> {
  const client = session.asking();
  const wanted = readNumber(textOption(call, 'limit'), '--limit') ?? DELIVERIES_DEFAULT;
  const found: DeliveryReport[] = [];
  const deliveries = pagesOf(
    (query) => client.ask('GET /v1/notifications/{name}/deliveries', { ...pathOf(call), query }),
    { wanted, pageMax: PAGE_MAX },
  );
  for await (const items of deliveries) found.push(...items);
  session.printRows(found, DELIVERY_STYLE);
  return EXIT.done;
}

/** `notification redeliver` */
export async function notificationRedeliver(session: Session, call: Call): Promise<ExitCode> {
  const asked = { ...pathOf(call), body: { deliveryId: textArg(call, 1) } };
  const sent = await session.asking().ask('POST /v1/notifications/{name}:redeliver', asked);
  session.printRows([sent], DELIVERY_STYLE);
  return EXIT.done;
}

function pathOf(call: Call) {
  return { path: { name: textArg(call, 0) } };
}

/** The order from the file, with the options laid over it. */
async function readOrder(session: Session, call: Call): Promise<NotificationOrderReport> {
  const file = { input: textOption(call, 'file'), pairs: [] };
  const base = await readParameters(file, session.terminal);
  const on = textOption(call, 'on');
  const q = textOption(call, 'q');
  const throttle = textOption(call, 'throttle');
  const webhook = textOption(call, 'webhook');
  const order = {
    ...base,
    ...(on !== undefined && { on: on.split(',').map((kind) => kind.trim()) }),
    ...(q !== undefined && { q }),
    ...(throttle !== undefined && { throttle }),
    ...(webhook !== undefined && { channel: { type: 'webhook', url: webhook } }),
  } as NotificationOrderReport;
  if (order.channel !== undefined) return order;
  throw new CliError(EXIT.usage, 'say where it goes', 'Write --webhook, or name a --file.');
}

/** One notification, line by line, or as data. */
function printNotification(session: Session, notification: NotificationReport): void {
  const { output } = session.options;
  if (output === 'json' || output === 'jsonl') return session.printJson(notification);
  if (output === 'name') return session.print(notification.name);
  const { generation, name, on, q, throttle, updatedAt, updatedBy } = notification;
  const rows = [
    ['name', `${name} (generation ${generation})`],
    ['on', on.join(', ')],
    ['tasks', q ?? 'all'],
    ['channel', channelText(notification)],
    ['throttle', throttle === 0 ? '-' : `one message in ${throttle}s`],
    ['changed', `${updatedAt} by ${updatedBy}`],
  ] as const;
  const width = Math.max(...rows.map(([title]) => title.length));
  for (const [title, text] of rows) session.print(`${title.padEnd(width)}  ${plainLine(text)}`);
}

function channelText({ channel }: NotificationReport): string {
  const { type } = channel;
  if (channel.type === 'email') return [type, channel.server, channel.to.join(',')].join(' ');
  const url = channel.type === 'pagerduty' ? (channel.url ?? '') : channel.url;
  return `${type} ${url}`.trim();
}
