import type { HttpApi } from '../../../../schemas/http-api.js';

/** A rule of notification. Members of the channel depend on its type; secrets are masked. */
export type Notification = HttpApi['Notification'];

/** The members of a channel, whatever its type. */
export interface ChannelMembers {
  readonly type: string;
  readonly url?: string;
  readonly secret?: string;
  readonly routingKey?: string;
  readonly server?: string;
  readonly from?: string;
  readonly to?: readonly string[];
}

/** A message of a notification. Moments are ISO 8601. */
export type Delivery = HttpApi['Delivery'];
