import { Loop } from '#engine';
import type { Companion, ProcessContext } from '#process';
import type {
  DeliveryRecord,
  DeliveryStore,
  KeyStore,
  NotificationRecord,
  NotificationStore,
  OperationRecord,
  OperationStore,
  ScheduleRecord,
  ScheduleStore,
} from '#ports';

/** Records that are read at a time. */
const PAGE = 200;

/** From one review to the next, in milliseconds. */
const INTERVAL_MS = 3_600_000;

/** The records that a review reads. */
interface ReviewedStores {
  readonly schedules: Pick<ScheduleStore, 'list'>;
  readonly notifications: Pick<NotificationStore, 'list'>;
  readonly deliveries: Pick<DeliveryStore, 'list'>;
  readonly operations: Pick<OperationStore, 'listOperations'>;
  readonly keys: Pick<KeyStore, 'listKeys'>;
}

/**
 * Reads the records that wait for a time of their own, at the start and once an hour. One whose
 * time was broken is found by no loop, so that it would be noticed by nobody: reading it counts it.
 */
export function recordReview(
  { clock, observer }: Pick<ProcessContext, 'clock' | 'observer'>,
  stores: ReviewedStores,
): Companion {
  const tick = (): Promise<void> => reviewRecords(stores);
  const loop = new Loop({ name: 'record_review', intervalMs: INTERVAL_MS, tick }, clock, observer);
  return { start: async () => loop.start(), stop: () => loop.stop() };
}

/** One review. Throws `StoreUnavailable`. */
export async function reviewRecords(stores: ReviewedStores): Promise<void> {
  const { deliveries, keys, notifications, operations, schedules } = stores;
  const limit = PAGE;
  await keys.listKeys();
  await readAll((last?: ScheduleRecord) => schedules.list({ after: last?.name, limit }));
  await readAll((beyond?: OperationRecord) => operations.listOperations({ beyond, limit }));
  await readAll(async (last?: NotificationRecord) => {
    const rules = await notifications.list({ after: last?.name, limit });
    for (const { name: rule } of rules) {
      await readAll((after?: DeliveryRecord) => deliveries.list({ rule, after, limit }));
    }
    return rules;
  });
}

/** Reads page after page, each behind the last record of the one before. */
async function readAll<T>(read: (last?: T) => Promise<readonly T[]>): Promise<void> {
  let page = await read();
  while (page.length === PAGE) page = await read(page.at(-1));
}
