import { NUMBERED, TEXT } from '#core/json';
import { nullWhereUnreadable } from '../errors.js';
import { recordKind } from '../record-kind.js';
import type { Records } from '../record-store.js';

/** A version of a flow as its author wrote it: JSON with comments, without the flow's name. */
export interface FlowSource {
  readonly flow: string;
  readonly version: number;
  readonly text: string;
}

/** The texts of flows, at most one for each version. */
export const FLOW_SOURCE = recordKind<FlowSource>({
  name: 'flow_source',
  plural: 'flow_sources',
  shape: { flow: TEXT, version: NUMBERED, text: TEXT },
  idOf: sourceId,
  isPassing: true,
  indexes: {},
});

/** The id of the text of a version. */
export function sourceId({ flow, version }: Omit<FlowSource, 'text'>): string {
  return `${flow}@${version}`;
}

/**
 * Keeps a text in the place of the one that its version had; writes nothing where they are equal.
 * Throws `StoreUnavailable`.
 */
export async function keepSource(sources: Records<FlowSource>, source: FlowSource): Promise<void> {
  const before = await sources.get(sourceId(source)).catch(nullWhereUnreadable);
  if (before?.text !== source.text) await sources.put(source, 'any');
}
