import type { Flow, JsonObject } from './shapes.js';

/** Something wrong with the text of a flow, or worth knowing of it. */
export interface FlowProblem {
  readonly pointer: string;
  /** From 1, as editors count. */
  readonly line: number;
  readonly column: number;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  /** Address of the page that shows it mended. Absent: the gateway is of an older build. */
  readonly type?: string;
}

/** The result of a check of flows. */
export interface Validation {
  readonly valid: boolean;
  readonly problems: readonly FlowProblem[];
  readonly warnings: readonly FlowProblem[];
}

/** A step that a task would come to. */
export interface PlannedStep {
  readonly id: string;
  readonly kind: string;
  readonly module?: string;
  readonly command?: string;
  readonly parameters?: JsonObject;
  /** The child tasks of the step. */
  readonly children?: {
    /** Null: only a run tells. */
    readonly count: number | null;
    readonly flow: string | null;
    /** Of one of them; null: not known. */
    readonly items: readonly PlannedStep[] | null;
  };
  /** Ids of what is undone, in this order, if it fails here. */
  readonly back: readonly string[];
}

/** The steps that a task of a flow would run. */
export interface FlowPlan {
  readonly items: readonly PlannedStep[];
  readonly back: readonly string[];
  readonly ends: 'succeeded' | 'fails' | 'open';
  readonly assumptions: readonly { readonly step: string; readonly member: string }[];
}

/** A mistake in a flow file. */
export interface FileProblem {
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

/** Flows, and the mistakes in flow files. */
export interface FlowList {
  readonly items: readonly Flow[];
  /** Absent: the gateway is of an older build. */
  readonly files?: { readonly problems: readonly FileProblem[] };
}

/** The values that flows inherit for a command. */
export interface CommandDefaults {
  readonly module: string;
  readonly command: string;
  readonly rollback?: { readonly module: string; readonly command: string } | null;
}
