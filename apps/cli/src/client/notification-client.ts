import { type Ask, ask, guard, type HttpOptions, send } from './http.js';
import type {
  DeliveryReport,
  NotificationOrderReport,
  NotificationPage,
  DeliveryPage,
  NotificationReport,
} from './types.js';

/** Query parameters of a page. */
type PageQuery = Readonly<Record<string, string>>;

/** The requests about notifications, typed. Every error is a `CliError`. */
export class NotificationClient {
  constructor(private readonly options: HttpOptions) {}

  /** `revision`: the generation that it must be at, or `*`; 0: the name must be new. */
  put(
    name: string,
    order: NotificationOrderReport,
    revision?: string,
  ): Promise<NotificationReport> {
    const headers = guard(revision);
    return this.json({ method: 'PUT', path: pathOf(name), body: order, headers });
  }

  get(name: string): Promise<NotificationReport> {
    return this.json({ path: pathOf(name) });
  }

  list(query: PageQuery): Promise<NotificationPage> {
    return this.json({ path: `v1/notifications?${new URLSearchParams(query).toString()}` });
  }

  async remove(name: string, revision?: string): Promise<void> {
    const request = { method: 'DELETE', path: pathOf(name), headers: guard(revision) } as const;
    await send(request, this.options);
  }

  test(name: string): Promise<DeliveryReport> {
    return this.json({ method: 'POST', path: `${pathOf(name)}:test` });
  }

  deliveries(name: string, query: PageQuery): Promise<DeliveryPage> {
    const path = `${pathOf(name)}/deliveries?${new URLSearchParams(query).toString()}`;
    return this.json({ path });
  }

  redeliver(name: string, deliveryId: string): Promise<DeliveryReport> {
    return this.json({ method: 'POST', path: `${pathOf(name)}:redeliver`, body: { deliveryId } });
  }

  private async json<T>(request: Ask): Promise<T> {
    return ask(request, this.options);
  }
}

function pathOf(name: string): string {
  return `v1/notifications/${encodeURIComponent(name)}`;
}
