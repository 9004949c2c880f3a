/** An action on many tasks. Moments are ISO 8601. */
export interface Operation {
  readonly operationId: string;
  /** Null: it is about what `q` finds. */
  readonly taskId: string | null;
  /** Of that task. */
  readonly flow: string | null;
  /** Null: one person is enough. */
  readonly consent: Consent | null;
  readonly action: string;
  readonly q: string;
  readonly reason: string;
  readonly dryRun: boolean;
  readonly actor: string;
  readonly status: string;
  readonly matched: number;
  readonly isCounted: boolean;
  readonly done: number;
  readonly refused: number;
  readonly failed: number;
  /** Of a dry run; else null. */
  readonly wouldDo: number | null;
  readonly createdAt: string;
  readonly endedAt: string | null;
  readonly counts: Readonly<Record<string, number>>;
}

/** Why something needs two people, and what the second one said. */
interface Consent {
  readonly rule: string;
  readonly expiresAt: string;
  readonly decision: { readonly actor: string; readonly approved: boolean } | null;
}
