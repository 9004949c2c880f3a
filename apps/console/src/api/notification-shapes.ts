import type { HttpApi } from '../../../../schemas/http-api.js';

/** A rule of notification. Members of the channel depend on its type; secrets are masked. */
export type Notification = HttpApi['Notification'];

/** A message of a notification. Moments are ISO 8601. */
export type Delivery = HttpApi['Delivery'];
