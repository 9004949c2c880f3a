import type { JsonObject } from './types.js';

/** An action on all tasks that match a query. */
export interface OperationOrder {
  readonly action: string;
  readonly q: string;
  readonly reason: string;
  readonly to?: string;
  readonly step?: string;
  readonly output?: JsonObject;
  readonly parameters?: JsonObject;
  readonly children?: 'failed' | 'all' | { readonly id: string };
  readonly ratePerSecond?: number;
  readonly dryRun?: boolean;
}

/** An action on many tasks, as lists have it; times in ISO 8601. */
export interface OperationSummary {
  readonly operationId: string;
  readonly action: string;
  readonly q: string;
  readonly reason: string;
  readonly dryRun: boolean;
  readonly actor: string;
  readonly status:
    'waiting' | 'running' | 'cancelling' | 'finished' | 'cancelled' | 'rejected' | 'expired';
  /** Null: it is about what `q` finds; absent in answers of older builds. */
  readonly taskId?: string | null;
  /** Of that task. */
  readonly flow?: string | null;
  /** Null: one person is enough; absent in answers of older builds. */
  readonly consent?: {
    readonly rule: string;
    readonly expiresAt: string;
    readonly decision: {
      readonly actor: string;
      readonly approved: boolean;
      readonly comment: string | null;
    } | null;
  } | null;
  readonly matched: number;
  readonly isCounted: boolean;
  readonly done: number;
  readonly refused: number;
  readonly failed: number;
  /** Of a dry run: how many would be acted on. */
  readonly wouldDo: number | null;
  readonly createdAt: string;
  readonly endedAt: string | null;
}

/** All of it. */
export interface OperationReport extends OperationSummary {
  readonly counts: Readonly<Record<string, number>>;
  readonly examples: readonly {
    readonly taskId: string;
    readonly code: string;
    readonly message: string;
  }[];
}

/** One page of a list. */
export interface OperationPage {
  readonly items: readonly OperationSummary[];
  readonly page: { readonly nextCursor: string | null };
}
