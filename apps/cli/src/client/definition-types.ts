import type { FlowReport } from './types.js';

/** A mistake in a flow file of the gateway. */
export interface FileProblemReport {
  /** Null: all of the file. */
  readonly flow: string | null;
  /** Within the folder; null: the folder itself. */
  readonly file: string | null;
  readonly line: number;
  readonly column: number;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** The flows of a gateway. */
export interface FlowsReport {
  readonly items: readonly FlowReport[];
  /** Absent: the gateway is of an older build. */
  readonly files?: { readonly problems: readonly FileProblemReport[] };
}

/** The answer to the author of a flow that was stored. */
export interface StoredFlowReport extends FlowReport {
  /** The flow was retired until then. */
  readonly revived: boolean;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

/** One version of a flow in a list. */
export interface VersionReport {
  readonly version: number;
  readonly hash: string;
  readonly timeCreate: number;
}

/** One page of the versions of a flow. */
export interface VersionPage {
  readonly items: readonly VersionReport[];
  readonly page: { readonly nextCursor: string | null };
}

/** Where a step stands in a version of a flow. */
interface StepPlaceReport {
  readonly step: string;
  readonly pointer: string;
}

/** A member that is another one in the other version; absent: there is none. */
export interface MemberReport {
  readonly pointer: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

/** How two versions of a flow differ. */
export interface DiffReport {
  readonly flow: string;
  readonly from: number;
  readonly to: number;
  readonly added: readonly StepPlaceReport[];
  readonly removed: readonly StepPlaceReport[];
  readonly changed: readonly (StepPlaceReport & { readonly members: readonly MemberReport[] })[];
  readonly members: readonly MemberReport[];
}

/** A value of a parameter, and where it is from. */
export interface WrittenReport {
  readonly value: unknown;
  readonly writer: { readonly kind: string; readonly id?: string; readonly actor?: string };
  /** Seconds since 1970. */
  readonly at: number | null;
}

/** A step that a task of a flow would come to. */
export interface PlannedStepReport {
  readonly step: string;
  readonly id: string;
  readonly kind: string;
  readonly module?: string;
  readonly command?: string;
  /** Absent: the step has no child tasks. */
  readonly children?: {
    /** Null: only a run tells. */
    readonly count: number | null;
    readonly flow: string | null;
    /** Of one of them; null: not known. */
    readonly items: readonly PlannedStepReport[] | null;
  };
  readonly back: readonly string[];
}

/** The plan of a task of a flow: its steps, its end, and the assumptions about values. */
export interface FlowPlanReport {
  readonly items: readonly PlannedStepReport[];
  readonly ends: string;
  readonly assumptions: readonly {
    readonly step: string;
    readonly member: string;
    readonly template: unknown;
    readonly taken: unknown;
  }[];
}
