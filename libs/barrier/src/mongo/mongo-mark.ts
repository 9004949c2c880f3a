import type { Document, Filter, UpdateFilter } from 'mongodb';
import type { BarrierContext } from '#ports';

/** A document that carries marks beside its own content. */
export interface MarkedDocument extends Document {
  readonly _id: string;
  readonly marks?: readonly PlacedMark[];
}

/**
 * A run's mark inside the document that its effect changed. `live`: the effect is in. Otherwise
 * the mark only keeps attempts with an older token out.
 */
export interface PlacedMark {
  readonly key: string;
  readonly live: boolean;
  readonly token: number;
  /** How to take the effect back, as JSON: operators may not be names of members. */
  readonly undo: string | null;
}

/**
 * Where a step has, or may have, an effect. `item` tells effects of one step on one document apart.
 */
export interface Place {
  readonly collection: string;
  readonly id: string;
  readonly item: string;
}

/** How an effect on a document is taken back. */
export interface Inverse {
  readonly update: UpdateFilter<Document>;
  /** Must fit the document; absent: anything does. */
  readonly when?: Filter<Document>;
  /** Where `when` does not fit: the effect is gone already, or it cannot be taken back now. */
  readonly otherwise?: 'gone' | 'refuse';
}

/** The mark of a run, whatever document it is on. */
export interface BarrierDocument {
  readonly _id: string;
  /** How many attempts have begun: with one, nobody else can be on the way to a place. */
  readonly attempts: number;
  readonly output: string | null;
  readonly places: readonly Place[];
  /** Whether an attempt has told its end. */
  readonly settled: boolean;
  readonly state: 'open' | 'applied' | 'undoing' | 'undone';
  readonly token: number;
  readonly touchedAt: number;
}

/** Key of a run's barrier document. */
export function barrierKey({ taskId, run }: BarrierContext): string {
  return JSON.stringify([taskId, run]);
}

/** Key of a run's mark on a document. */
export function markKey(context: BarrierContext, item: string): string {
  return JSON.stringify([context.taskId, context.run, item]);
}

/** One update that does what both do. They must not touch the same fields. */
export function joinUpdates(
  one: UpdateFilter<Document>,
  other: UpdateFilter<Document>,
): UpdateFilter<Document> {
  const joined: Record<string, object> = { ...one };
  for (const [operator, fields] of Object.entries(other)) {
    joined[operator] = { ...joined[operator], ...fields };
  }
  return joined;
}
