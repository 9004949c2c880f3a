import { Controller, Inject } from '@nestjs/common';
import { Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Problem } from '#http-server';
import { changeDelivery } from '#notifications';
import type { DeliveryRecord, NotificationRecord } from '#ports';
import { authorsOf } from '../access/authors.js';
import { RequestWork } from '../access/request-work.js';
import { seesDelivery } from '../access/visible.js';
import { type AccessParts, type CommonParts, type MessageParts, OSS_OPTIONS } from '../options.js';
import { NotificationDesk } from './notification-desk.js';
import { notificationTag, presentDelivery, presentNotification } from './notification.presenter.js';
import type { PublicDelivery, PublicNotification } from './notification.presenter.js';
import { placeText } from './notification.query.js';
import { findNamed, listNamed, removeNamed } from '../requests/named-resource.js';
import {
  type NotificationParts,
  notificationsIn,
  writeNotification,
} from './write-notification.js';
import { NOTIFICATION_ROUTES } from './notifications.routes.js';
import { type Asked, Handles } from '../requests/asked.js';
import type { Shown } from '../requests/shown.js';

/** Stores notifications, shows them and their messages, and tries them. */
@Controller()
export class NotificationsController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts & MessageParts & AccessParts,
    private readonly desk: NotificationDesk,
    private readonly work: RequestWork,
  ) {}

  /** By their names. */
  @Handles(NOTIFICATION_ROUTES.listNotifications)
  async list({
    query,
    principal,
  }: Asked<typeof NOTIFICATION_ROUTES.listNotifications>): Promise<Shown<'NotificationPage'>> {
    const { items, page } = await listNamed(notificationsIn(this.options), query, principal);
    return { items: await this.presentAll(items), page };
  }

  /** One notification, without what only its receiver knows. */
  @Handles(NOTIFICATION_ROUTES.getNotification)
  async get(
    { path: { name }, principal }: Asked<typeof NOTIFICATION_ROUTES.getNotification>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PublicNotification> {
    const record = await findNamed(notificationsIn(this.options), name, principal);
    reply.header('etag', notificationTag(record));
    return this.present(record);
  }

  /** Stores a notification; the same again changes nothing. */
  @Handles(NOTIFICATION_ROUTES.putNotification)
  async put(
    { path: { name }, body: order, request }: Asked<typeof NOTIFICATION_ROUTES.putNotification>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PublicNotification> {
    const { isNew, record } = await writeNotification(this.parts, name, { order, request });
    reply.code(isNew ? 201 : 200).header('etag', notificationTag(record));
    if (isNew) reply.header('location', `/v1/notifications/${encodeURIComponent(name)}`);
    return this.present(record);
  }

  /** From now on it tells nothing; what was begun is not sent any more. */
  @Handles(NOTIFICATION_ROUTES.removeNotification)
  async remove({
    path: { name },
    request,
  }: Asked<typeof NOTIFICATION_ROUTES.removeNotification>): Promise<void> {
    await removeNamed(notificationsIn(this.options), name, request);
  }

  /** Sends a message at once, and tells what became of it. */
  @Handles(NOTIFICATION_ROUTES.testNotification)
  async test({
    path: { name },
    principal,
    request,
  }: Asked<typeof NOTIFICATION_ROUTES.testNotification>): Promise<PublicDelivery> {
    const record = await findNamed(notificationsIn(this.options), name, principal);
    const send = (): Promise<DeliveryRecord> => {
      return this.desk.courier.test(record, this.options.entropy.newId());
    };
    return presentDelivery(await this.work.run(request, 'send', send));
  }

  /** Its messages, newest first. */
  @Handles(NOTIFICATION_ROUTES.listDeliveries)
  async deliveries({
    path: { name },
    query: { cursor, limit },
    principal,
  }: Asked<typeof NOTIFICATION_ROUTES.listDeliveries>): Promise<Shown<'DeliveryPage'>> {
    const record = await findNamed(notificationsIn(this.options), name, principal);
    const newest = { index: 'rule', of: [record.name], isDescending: true } as const;
    const after = cursor && { at: cursor.createdAt, id: cursor.id };
    const found = await this.options.deliveries.list({ ...newest, after, limit: limit + 1 });
    const page = found.slice(0, limit);
    const items = page.filter((delivery) => {
      return delivery.ruleId === record.id && seesDelivery(principal, delivery);
    });
    const nextCursor = found.length > limit ? placeText(page.at(-1)!) : null;
    return { items: items.map(presentDelivery), page: { nextCursor } };
  }

  /** Sends a message again, whatever became of it, under the same id. */
  @Handles(NOTIFICATION_ROUTES.redeliver)
  async redeliver({
    path: { name },
    body,
    principal,
  }: Asked<typeof NOTIFICATION_ROUTES.redeliver>): Promise<PublicDelivery> {
    const { deliveryId } = body;
    const record = await findNamed(notificationsIn(this.options), name, principal);
    const { clock, deliveries } = this.options;
    const found = await deliveries.get(deliveryId);
    const isOwn = found?.ruleId === record.id && seesDelivery(principal, found);
    if (!isOwn) throw deliveryNotFound();
    const changed = await changeDelivery(deliveries, deliveryId, (current) => ({
      state: 'pending',
      attempts: 0,
      isCarrier: true,
      dueAt: clock.now(),
      // It is no longer counted into another message; a link to the message it resolves stays.
      of: current.phase === 'resolved' ? current.of : null,
    }));
    if (changed === null) throw deliveryNotFound();
    return presentDelivery(changed);
  }

  private get parts(): NotificationParts {
    const { changes, clock, entropy, notifications } = this.options;
    return { changes, clock, entropy, notifications, secrets: this.desk.secrets };
  }

  private async present(record: NotificationRecord): Promise<PublicNotification> {
    const [shown] = await this.presentAll([record]);
    return shown!;
  }

  private async presentAll(
    records: readonly NotificationRecord[],
  ): Promise<readonly PublicNotification[]> {
    const { secrets } = this.desk;
    const authorOf = await authorsOf(this.options, records);
    return records.map((record) => {
      return presentNotification(record, { author: authorOf(record), secrets });
    });
  }
}

function deliveryNotFound(): Problem {
  return new Problem('DELIVERY_NOT_FOUND', 'There is no such message of this notification.');
}
