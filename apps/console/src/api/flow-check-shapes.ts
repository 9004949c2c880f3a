import type { HttpApi } from '../../../../schemas/http-api.js';

/** The result of a check of flows. */
export type Validation = HttpApi['Validation'];

/** Something wrong with the text of a flow, or worth knowing of it. */
export type FlowProblem = Validation['problems'][number];

/** A step that a task would come to. */
export type PlannedStep = HttpApi['PlannedStep'];

/** The steps that a task of a flow would run. */
export type FlowPlan = HttpApi['FlowPlan'];

/** Flows, and the mistakes in flow files. */
export type FlowList = HttpApi['Flows'];

/** A mistake in a flow file. */
export type FileProblem = FlowList['files']['problems'][number];

/** The values that flows inherit for a command. */
export type CommandDefaults = HttpApi['Commands']['items'][number];
