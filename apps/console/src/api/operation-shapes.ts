import type { HttpApi } from '../../../../schemas/http-api.js';

/** An action on many tasks, as lists have it. Moments are ISO 8601. */
export type ListedOperation = HttpApi['OperationPage']['items'][number];

/** All of it. */
export type Operation = HttpApi['Operation'];
