import type { Json } from './shapes.js';

/** A member with another value; a value that is absent: the member is. */
export interface MemberChange {
  readonly pointer: string;
  readonly from?: Json;
  readonly to?: Json;
}

/** A step that only one of two versions has, by its path. */
interface StepPlace {
  readonly step: string;
}

/** How two versions of a flow differ. */
export interface FlowDiff {
  readonly added: readonly StepPlace[];
  readonly removed: readonly StepPlace[];
  readonly changed: readonly (StepPlace & { readonly members: readonly MemberChange[] })[];
  /** Of the flow itself. */
  readonly members: readonly MemberChange[];
}
