import type { DeliveryRecord } from '#ports';
import { isOfTasks } from './facts.js';

/** Where the reader of a message goes on. */
interface NextStep {
  /** The page of the console; null: the public address of the gateway is not known. */
  readonly url: string | null;
  /** To paste into a shell; null: there is nothing to look into. */
  readonly command: string | null;
}

type Told = Pick<DeliveryRecord, 'kind' | 'phase' | 'rule' | 'subject'>;

/** The body that a receiver of webhooks gets. Times are ISO 8601. */
interface WebhookBody extends NextStep {
  readonly kind: 'firing' | 'resolved' | 'test';
  readonly id: string;
  /** Of `resolved`: id of the message that it began. */
  readonly of: string | null;
  readonly rule: string;
  readonly on: string;
  readonly at: string;
  readonly message: string;
  /** How many messages this one tells of besides. */
  readonly counted: number;
  readonly task?: { readonly taskId: string; readonly flow: string | null };
  readonly module?: string;
  readonly schedule?: string;
}

/** A message as a webhook tells it. */
export function webhookBody(delivery: DeliveryRecord, publicUrl: string | null): WebhookBody {
  const { counted, createdAt, flow, id, kind, message, of, phase, rule, subject } = delivery;
  return {
    kind: kind === 'test' ? 'test' : phase,
    id,
    of,
    rule,
    on: kind,
    at: new Date(createdAt).toISOString(),
    message,
    counted,
    ...nextStepOf(delivery, publicUrl),
    ...(kind !== 'test' && isOfTasks(kind) && { task: { taskId: subject, flow } }),
    ...((kind === 'executor_gone' || kind === 'backlog') && { module: subject }),
    ...(kind === 'schedule_missed' && { schedule: subject }),
  };
}

/** A message in one line for people. */
export function messageLine({ counted, kind, message, phase, subject }: DeliveryRecord): string {
  const over = phase === 'resolved' ? 'Over: ' : '';
  const about = kind === 'test' ? '' : ` (${subject})`;
  const more = counted === 0 ? '' : `, and ${counted} more`;
  return `${over}${message}${about}${more}`;
}

/** A message for people: one line, and another with the link and the command. */
export function messageText(delivery: DeliveryRecord, publicUrl: string | null): string {
  const { command, url } = nextStepOf(delivery, publicUrl);
  const next = [url, command].filter((text) => text !== null).join('  ');
  return next === '' ? messageLine(delivery) : `${messageLine(delivery)}\n${next}`;
}

/** A message as Slack takes it: texts of users make no links and call nobody. */
export function slackBody(delivery: DeliveryRecord, publicUrl: string | null): object {
  const text = messageText(delivery, publicUrl)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
  return { text };
}

/** A message for a service of PagerDuty. */
interface PagedMessage {
  readonly delivery: DeliveryRecord;
  readonly routingKey: string;
  readonly publicUrl: string | null;
}

/** A message as version 2 of the Events API of PagerDuty takes it. */
export function pagerdutyBody({ delivery, publicUrl, routingKey }: PagedMessage): object {
  const { id, kind, of, phase, subject } = delivery;
  const { url } = nextStepOf(delivery, publicUrl);
  const isOver = phase === 'resolved';
  return {
    routing_key: routingKey,
    event_action: isOver ? 'resolve' : 'trigger',
    dedup_key: of !== null && isOver ? of : id,
    ...(!isOver && {
      payload: {
        summary: messageLine(delivery).slice(0, 1_024),
        source: subject,
        severity: severityOf(kind),
        component: 'backstep',
        custom_details: webhookBody(delivery, publicUrl),
      },
      ...(url !== null && { links: [{ href: url, text: 'Backstep' }] }),
    }),
  };
}

function severityOf(kind: DeliveryRecord['kind']): string {
  if (kind === 'stuck' || kind === 'executor_gone') return 'critical';
  if (kind === 'test' || kind === 'waiting' || kind === 'succeeded') return 'info';
  return kind === 'failed' ? 'error' : 'warning';
}

/** The page and the command of a message. `publicUrl`: origin of the gateway; null: not known. */
function nextStepOf(told: Told, publicUrl: string | null): NextStep {
  const { command, page } = placesOf(told);
  const url = publicUrl === null ? null : `${publicUrl}/console/${page}`;
  return { url, command: told.phase === 'resolved' ? null : command };
}

function placesOf({ kind, rule, subject }: Told): {
  readonly page: string;
  readonly command: string | null;
} {
  switch (kind) {
    case 'test':
      return { page: 'notifications', command: `backstep notification get ${rule}` };
    case 'executor_gone':
    case 'backlog':
      return { page: 'executors', command: 'backstep executor list' };
    case 'schedule_missed':
      return { page: 'schedules', command: `backstep schedule why ${subject}` };
    case 'succeeded':
      return { page: pageOfTask(subject), command: null };
    case 'failed':
      return { page: pageOfTask(subject), command: `backstep task get ${subject}` };
    default:
      return { page: pageOfTask(subject), command: `backstep task why ${subject}` };
  }
}

function pageOfTask(taskId: string): string {
  return `tasks/${encodeURIComponent(taskId)}`;
}
