import { guard } from '../client/http.js';
import type {
  DeliveryReport,
  NotificationOrderReport,
  NotificationReport,
} from '../client/types.js';
import { CliError, EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import { titledLines } from '../terminal/table.js';
import { type Call, textArg, textOption, textOptions } from '../tree/call.js';
import { itemsOf } from './pages.js';
import { readNumber, readParameters } from './parameters.js';

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
export async function notificationList(session: Session): Promise<void> {
  const client = session.asking();
  const found = await itemsOf((query) => client.ask('GET /v1/notifications', { query }));
  session.printRows(found, STYLE);
}

/** `notification get` */
export async function notificationGet(session: Session, call: Call): Promise<void> {
  printNotification(
    session,
    await session.asking().ask('GET /v1/notifications/{name}', pathOf(call)),
  );
}

/** `notification put` */
export async function notificationPut(session: Session, call: Call): Promise<void> {
  const order = await readOrder(session, call);
  const headers = guard(textOption(call, 'ifMatch'));
  const asked = { ...pathOf(call), body: order, headers };
  const stored = await session.asking().ask('PUT /v1/notifications/{name}', asked);
  printNotification(session, stored);
}

/** `notification delete` */
export async function notificationDelete(session: Session, call: Call): Promise<void> {
  const name = textArg(call, 0);
  const headers = guard(textOption(call, 'ifMatch'));
  await session.asking().ask('DELETE /v1/notifications/{name}', { ...pathOf(call), headers });
  session.say(`${name} is removed. Messages that are not delivered yet are dropped.`);
}

/** `notification test` */
export async function notificationTest(session: Session, call: Call): Promise<ExitCode> {
  const sent = await session.asking().ask('POST /v1/notifications/{name}:test', pathOf(call));
  session.printRows([sent], DELIVERY_STYLE);
  return sent.state === 'delivered' ? EXIT.done : EXIT.endedOtherwise;
}

/** `notification deliveries` */
export async function notificationDeliveries(session: Session, call: Call): Promise<void> {
  const client = session.asking();
  const wanted = readNumber(textOption(call, 'limit'), '--limit') ?? DELIVERIES_DEFAULT;
  const found = await itemsOf(
    (query) => client.ask('GET /v1/notifications/{name}/deliveries', { ...pathOf(call), query }),
    { wanted },
  );
  session.printRows(found, DELIVERY_STYLE);
}

/** `notification redeliver` */
export async function notificationRedeliver(session: Session, call: Call): Promise<void> {
  const asked = { ...pathOf(call), body: { deliveryId: textArg(call, 1) } };
  const sent = await session.asking().ask('POST /v1/notifications/{name}:redeliver', asked);
  session.printRows([sent], DELIVERY_STYLE);
}

function pathOf(call: Call) {
  return { path: { name: textArg(call, 0) } };
}

/** The order from the file, with the options laid over it. */
async function readOrder(session: Session, call: Call): Promise<NotificationOrderReport> {
  const file = { input: textOption(call, 'file'), pairs: [] };
  const base = await readParameters(file, session.terminal);
  const on = textOption(call, 'on');
  const webhook = textOption(call, 'webhook');
  const order = {
    ...base,
    ...(on !== undefined && { on: on.split(',').map((kind) => kind.trim()) }),
    ...textOptions(call, ['q', 'throttle']),
    ...(webhook !== undefined && { channel: { type: 'webhook', url: webhook } }),
  } as NotificationOrderReport;
  if (order.channel !== undefined) return order;
  throw new CliError(EXIT.usage, 'say where it goes', 'Write --webhook, or name a --file.');
}

/** One notification, line by line, or as data. */
function printNotification(session: Session, notification: NotificationReport): void {
  session.printOne(notification, () => titledLines(rowsOf(notification)), [notification.name]);
}

function rowsOf(notification: NotificationReport): Parameters<typeof titledLines>[0] {
  const { generation, name, on, q, throttle, updatedAt, updatedBy } = notification;
  return [
    ['name', `${name} (generation ${generation})`],
    ['on', on.join(', ')],
    ['tasks', q ?? 'all'],
    ['channel', channelText(notification)],
    ['throttle', throttle === 0 ? '-' : `one message in ${throttle}s`],
    ['changed', `${updatedAt} by ${updatedBy}`],
  ];
}

function channelText({ channel }: NotificationReport): string {
  const { type } = channel;
  if (channel.type === 'email') return [type, channel.server, channel.to.join(',')].join(' ');
  const url = channel.type === 'pagerduty' ? (channel.url ?? '') : channel.url;
  return `${type} ${url}`.trim();
}
