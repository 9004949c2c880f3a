import type { DeliveryRecord } from '#ports';
import { isOfTasks } from './facts.js';

/** The body that a receiver of webhooks gets. Times are ISO 8601. */
interface WebhookBody {
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
export function webhookBody(delivery: DeliveryRecord): WebhookBody {
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

/** A message as Slack takes it: what users wrote makes no links and calls nobody. */
export function slackBody(delivery: DeliveryRecord): object {
  const text = messageLine(delivery)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
  return { text };
}

/** A message as version 2 of the Events API of PagerDuty takes it. */
export function pagerdutyBody(delivery: DeliveryRecord, routingKey: string): object {
  const { id, kind, of, phase, subject } = delivery;
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
        custom_details: webhookBody(delivery),
      },
    }),
  };
}

function severityOf(kind: DeliveryRecord['kind']): string {
  if (kind === 'stuck' || kind === 'executor_gone') return 'critical';
  if (kind === 'test' || kind === 'waiting' || kind === 'succeeded') return 'info';
  return kind === 'failed' ? 'error' : 'warning';
}
