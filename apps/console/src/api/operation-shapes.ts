import type { HttpApi } from '../../../../schemas/http-api.js';

/** An action on many tasks. Moments are ISO 8601. */
export type Operation = HttpApi['Operation'];
