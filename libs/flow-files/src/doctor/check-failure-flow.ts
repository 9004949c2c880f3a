import type { FlowDefinition } from '#core';
import { clip } from '../json-document.js';
import { joinPointer } from '../json-pointer.js';
import { nearNameHint } from '../near-name-hint.js';
import type { Finding } from '../problem.js';
import type { Examination } from './examination.js';
import type { KnownFlows } from './flow-outline.js';

type Words = Pick<Finding, 'code' | 'message' | 'hint'>;

/** Refuses a flow that is its own failure flow, and warns of one that is not there or in a ring. */
export function checkFailureFlow(examination: Examination): void {
  const { definition, known, pointer, problems, warnings } = examination;
  const at = joinPointer(pointer, 'failureFlow');
  if (definition.failureFlow === definition.name) {
    const message = 'The flow is its own failure flow: its failure would start it again and again.';
    const hint = 'Name another flow, one that reports or cleans up.';
    problems.add({ pointer: at, code: 'OWN_FAILURE_FLOW', message, hint });
    return;
  }
  const words = failureFlowWarning(definition, known);
  if (words !== null) warnings.add({ pointer: at, ...words });
}

/** The warning to the author of a flow about its failure flow; null: none. */
export function failureFlowWarning(
  { failureFlow, name }: FlowDefinition,
  known: KnownFlows,
): Words | null {
  if (failureFlow === undefined) return null;
  if (known.isComplete && !known.outlines.has(failureFlow)) {
    const message = `There is no flow \`${clip(failureFlow)}\` so far.`;
    const hint = nearNameHint(failureFlow, [...known.outlines.keys()]);
    return { code: 'UNKNOWN_FAILURE_FLOW', message, hint };
  }
  const ring = ringFrom(name, failureFlow, known);
  if (ring === null) return null;
  const names = ring.map((each) => `\`${clip(each)}\``).join(', ');
  const message = `These flows are failure flows of each other in a ring: ${names}.`;
  const hint = 'Where all of them fail, they start each other until tasks lie too deep: end it.';
  return { code: 'FAILURE_FLOW_RING', message, hint };
}

function ringFrom(name: string, first: string, { outlines }: KnownFlows): readonly string[] | null {
  const ring = [name];
  for (let at: string | null = first; at !== null && !ring.includes(at);) {
    ring.push(at);
    at = outlines.get(at)?.failureFlow ?? null;
    if (at === name) return ring;
  }
  return null;
}
