import type { Action, FlowDefinition } from '#core';
import type { SeededRandom } from '../trial/seeded-random.js';

/** The flow that is started when a task ends badly. It has a failure flow of its own at times. */
export const REPORT_FLOW = 'report';

/** A flow that nobody has. */
const MISSING_FLOW = 'missing';

/**
 * The failure flow of {@link REPORT_FLOW}: no flow can be published that is its own. One step, and
 * no failure flow, so that it ends there.
 */
export const LAST_REPORT: FlowDefinition = {
  name: 'last-report',
  description: null,
  input: null,
  timeoutMs: null,
  steps: [{ name: 's0', needs: [], normal: actionOf('do'), rollback: actionOf('undo') }],
};

function actionOf(command: string): Action {
  return {
    module: 'a',
    command,
    timeoutMs: 30_000,
    attemptTimeoutMs: null,
    retry: { attempts: 2, backoff: 'none', delayMs: 0, maxDelayMs: 0, jitter: false },
    onCrash: { restarts: 1 },
    parameters: null,
  };
}

/** Gives most flows a failure flow, which for some is not there. */
export function withFailureFlow(random: SeededRandom, flow: FlowDefinition): FlowDefinition {
  const drawn = random.next();
  if (drawn < 0.2) return flow;
  const report = flow.name === REPORT_FLOW ? LAST_REPORT.name : REPORT_FLOW;
  return { ...flow, failureFlow: drawn < 0.3 ? MISSING_FLOW : report };
}
