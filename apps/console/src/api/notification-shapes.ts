/** A rule of notification. Members of the channel depend on its type; secrets are masked. */
export interface Notification {
  readonly name: string;
  readonly on: readonly string[];
  readonly q: string | null;
  readonly channel: NotificationChannel;
  /** Seconds; 0: as many messages as come. */
  readonly throttle: number;
  readonly generation: number;
}

/** Where messages go. */
interface NotificationChannel {
  readonly type: string;
  readonly [member: string]: string | readonly string[];
}

/** A message of a notification. Moments are ISO 8601. */
export interface Delivery {
  readonly deliveryId: string;
  readonly on: string;
  readonly subject: string;
  readonly phase: 'firing' | 'resolved';
  readonly state: string;
  readonly message: string;
  readonly flow: string | null;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly createdAt: string;
}
