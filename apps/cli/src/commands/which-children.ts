import type { ActionOrder } from '../client/types.js';
import { type Call, textOption } from '../tree/call.js';

/** The child tasks that a retry or a reset begins anew; one of them is written as its id. */
export function whichChildren(call: Call): Pick<ActionOrder, 'children'> {
  const text = textOption(call, 'children');
  if (text === undefined) return {};
  return { children: text === 'failed' || text === 'all' ? text : { id: text } };
}
