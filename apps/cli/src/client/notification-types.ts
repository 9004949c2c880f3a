/** The body of a request that stores a notification. */
export interface NotificationOrderReport {
  readonly on?: readonly string[];
  readonly q?: string;
  readonly channel?: ChannelReport;
  readonly throttle?: string | number;
}

/** Where messages go; other members depend on the type. */
interface ChannelReport {
  readonly type: string;
  readonly url?: string;
  readonly server?: string;
  readonly to?: readonly string[];
}

/** A notification as the server shows it. Times are ISO 8601. */
export interface NotificationReport {
  readonly name: string;
  readonly on: readonly string[];
  readonly q: string | null;
  readonly channel: ChannelReport;
  /** Seconds. */
  readonly throttle: number;
  readonly generation: number;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

/** A message as the server shows it. Times are ISO 8601. */
export interface DeliveryReport {
  readonly deliveryId: string;
  readonly on: string;
  readonly subject: string;
  readonly phase: string;
  readonly state: string;
  readonly message: string;
  readonly counted: number;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly createdAt: string;
}

/** One page of something. */
export interface NotificationPageOf<Item> {
  readonly items: readonly Item[];
  readonly page: { readonly nextCursor: string | null };
}
