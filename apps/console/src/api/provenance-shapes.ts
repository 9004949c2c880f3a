import type { HttpApi } from '../../../../schemas/http-api.js';

/** Each parameter's values, the oldest first; the last one holds now. */
export type Provenance = HttpApi['Provenance'];

/** A value that a parameter had. */
export type WrittenValue = Provenance[string][number];

/** The writer of a value: a step with the id of its run, a person by name. */
export type Writer = WrittenValue['writer'];
