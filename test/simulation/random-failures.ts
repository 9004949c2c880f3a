import type { FlowDefinition } from '#core';
import type { SeededRandom } from '../trial/seeded-random.js';

/** The flow that is started when a task ends badly. It has a failure flow of its own at times. */
export const REPORT_FLOW = 'report';

/** A flow that nobody has. */
const MISSING_FLOW = 'missing';

/** Gives most flows a failure flow, which for some is not there. */
export function withFailureFlow(random: SeededRandom, flow: FlowDefinition): FlowDefinition {
  const drawn = random.next();
  if (drawn < 0.2) return flow;
  return { ...flow, failureFlow: drawn < 0.3 ? MISSING_FLOW : REPORT_FLOW };
}
