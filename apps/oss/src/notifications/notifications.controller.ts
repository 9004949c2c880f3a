import { Controller, Delete, Get, HttpCode, Inject, Param } from '@nestjs/common';
import { Post, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expectNoParameters, principalOf, Problem } from '#http-server';
import { changeDelivery } from '#notifications';
import type { DeliveryRecord, NotificationRecord } from '#ports';
import { authorsOf } from '../access/authors.js';
import { RequestWork } from '../access/request-work.js';
import { seesDelivery } from '../access/visible.js';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { PAGE_MAX } from '../requests/limits.js';
import { NotificationDesk } from './notification-desk.js';
import { notificationTag, presentDelivery, presentNotification } from './notification.presenter.js';
import type { PublicDelivery, PublicNotification } from './notification.presenter.js';
import { readNotificationRequest } from './notification.request.js';
import { DELIVERIES_QUERY, NOTIFICATIONS_QUERY, placeText } from './notification.query.js';
import { redeliverReader } from './redeliver.request.js';
import { findNotification, removeNotification, seesNotification } from './write-notification.js';
import { type NotificationParts, writeNotification } from './write-notification.js';

/** One page of something. */
interface Page<Item> {
  readonly items: readonly Item[];
  readonly page: { readonly nextCursor: string | null };
}

/** Stores notifications, shows them and their messages, and tries them. */
@Controller('v1/notifications')
export class NotificationsController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: OssOptions,
    private readonly desk: NotificationDesk,
    private readonly work: RequestWork,
  ) {}

  /** By their names. */
  @Get()
  async list(@Req() request: FastifyRequest): Promise<Page<PublicNotification>> {
    const { cursor, limit } = NOTIFICATIONS_QUERY.read(request.query);
    const principal = principalOf(request);
    const found: NotificationRecord[] = [];
    let after = cursor === undefined ? undefined : { id: cursor };
    let isMore = true;
    while (isMore && found.length <= limit) {
      const page = await this.options.notifications.list({ after, limit: PAGE_MAX });
      found.push(...page.filter((record) => seesNotification(principal, record)));
      isMore = page.length === PAGE_MAX;
      after = { id: page.at(-1)?.name ?? '' };
    }
    const items = found.slice(0, limit);
    const nextCursor = found.length > limit ? (items.at(-1)?.name ?? null) : null;
    return { items: await this.presentAll(items), page: { nextCursor } };
  }

  /** One notification, without what only its receiver knows. */
  @Get(':name([^:]+)')
  async get(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PublicNotification> {
    expectNoParameters(request.query);
    const record = await findNotification(this.options, name, principalOf(request));
    reply.header('etag', notificationTag(record));
    return this.present(record);
  }

  /** Stores a notification; the same again changes nothing. */
  @Put(':name([^:]+)')
  async put(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PublicNotification> {
    expectNoParameters(request.query);
    const order = readNotificationRequest(request.body);
    const { isNew, record } = await writeNotification(this.parts, name, { order, request });
    reply.code(isNew ? 201 : 200).header('etag', notificationTag(record));
    if (isNew) reply.header('location', `/v1/notifications/${encodeURIComponent(name)}`);
    return this.present(record);
  }

  /** From now on it tells nothing; what was begun is not sent any more. */
  @Delete(':name([^:]+)')
  @HttpCode(204)
  async remove(@Param('name') name: string, @Req() request: FastifyRequest): Promise<void> {
    expectNoParameters(request.query);
    await removeNotification(this.options, name, request);
  }

  /** Sends a message at once, and tells what became of it. */
  @Post(':name([^:]+)::test')
  @HttpCode(200)
  async test(@Param('name') name: string, @Req() request: FastifyRequest): Promise<PublicDelivery> {
    expectNoParameters(request.query);
    const record = await findNotification(this.options, name, principalOf(request));
    const send = (): Promise<DeliveryRecord> => {
      return this.desk.courier.test(record, this.options.entropy.newId());
    };
    return presentDelivery(await this.work.run(request, 'send', send));
  }

  /** Its messages, newest first. */
  @Get(':name([^:]+)/deliveries')
  async deliveries(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
  ): Promise<Page<PublicDelivery>> {
    const { cursor, limit } = DELIVERIES_QUERY.read(request.query);
    const record = await findNotification(this.options, name, principalOf(request));
    const newest = { index: 'rule', of: [record.name], isDescending: true } as const;
    const after = cursor && { at: cursor.createdAt, id: cursor.id };
    const found = await this.options.deliveries.list({ ...newest, after, limit: limit + 1 });
    const page = found.slice(0, limit);
    const principal = principalOf(request);
    const items = page.filter((delivery) => {
      return delivery.ruleId === record.id && seesDelivery(principal, delivery);
    });
    const nextCursor = found.length > limit ? placeText(page.at(-1)!) : null;
    return { items: items.map(presentDelivery), page: { nextCursor } };
  }

  /** Sends a message again, whatever became of it, under the same id. */
  @Post(':name([^:]+)::redeliver')
  @HttpCode(200)
  async redeliver(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
  ): Promise<PublicDelivery> {
    expectNoParameters(request.query);
    const { deliveryId } = redeliverReader.read(request.body);
    const record = await findNotification(this.options, name, principalOf(request));
    const { clock, deliveries } = this.options;
    const found = await deliveries.get(deliveryId);
    const isOwn = found?.ruleId === record.id && seesDelivery(principalOf(request), found);
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
