import type { HttpApi } from '../../../../schemas/http-api.js';

/** How a version of a flow fared in its last drill. */
export type Drill = HttpApi['Drill'];
