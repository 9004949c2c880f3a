import type { HttpApi } from '../../../../schemas/http-api.js';

/** How tasks and steps of a flow ended in a time span. */
export type FlowStatistics = HttpApi['FlowStatistics'];

/** The same of tasks alone, in one hour or day of it. */
export type StatisticsInterval = HttpApi['StatisticsInterval'];

/** How one action of a flow did. */
export type StepStatistics = HttpApi['StepStatistics'];
