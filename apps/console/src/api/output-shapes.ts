import type { HttpApi } from '../../../../schemas/http-api.js';

/** A line that an attempt of a step wrote. */
export type LogLine = HttpApi['LogLine'];

/** How far a running attempt says it is. */
export type Progress = HttpApi['Progress'];

/** The same, with the attempt that says so. */
export type AttemptProgress = Progress & Pick<LogLine, 'attempt' | 'direction' | 'run'>;
