import type { LabelsFailed } from '#engine';
import { Problem } from '#http-server';

/** The problem that the labels of a flow cannot be worked out for a request. */
export function labelsFailed({ label, message: reason }: LabelsFailed): Problem {
  const pointer = label === '' ? '/labels' : `/labels/${label}`;
  const message = label === '' ? `The labels: ${reason}.` : `The label ${label}: ${reason}.`;
  const hint = 'Send the label with the request, whose labels win, or correct the flow.';
  return new Problem('EXPRESSION_FAILED', message, { errors: [{ pointer, message, hint }] });
}
