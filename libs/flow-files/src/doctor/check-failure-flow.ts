import { clip } from '../json-document.js';
import { joinPointer } from '../json-pointer.js';
import { nearNameHint } from '../near-name-hint.js';
import type { Examination } from './examination.js';

/** Refuses a flow that is its own failure flow, and warns of a failure flow that is not there. */
export function checkFailureFlow(examination: Examination): void {
  const { definition, flows, pointer, problems, warnings } = examination;
  const { failureFlow, name } = definition;
  if (failureFlow === undefined) return;
  const at = joinPointer(pointer, 'failureFlow');
  if (failureFlow === name) {
    const message = 'The flow is its own failure flow: its failure would start it again and again.';
    const hint = 'Name another flow, one that reports or cleans up.';
    problems.add({ pointer: at, code: 'OWN_FAILURE_FLOW', message, hint });
  } else if (flows !== null && !flows.has(failureFlow)) {
    const message = `There is no flow \`${clip(failureFlow)}\` so far.`;
    const hint = nearNameHint(failureFlow, [...flows]);
    warnings.add({ pointer: at, code: 'UNKNOWN_FAILURE_FLOW', message, hint });
  }
}
