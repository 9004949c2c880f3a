import type { HttpApi } from '../../../../schemas/http-api.js';

/** How two versions of a flow differ. */
export type FlowDiff = HttpApi['FlowDiff'];

/** A member with another value; a value that is absent: the member is. */
export type MemberChange = FlowDiff['members'][number];
