import { DocumentFault, NO_SCOPES, readStoredJson, readList } from '#core';
import type { JsonObject, Scope, Task } from '#core';
import { PLACE } from './places.js';
import { fromTurnRow, toTurnRow, type TurnRow } from './turn-row.js';

/** A scope as JSON; one without a turn goes forward. */
type ScopeRow = readonly [
  kind: Scope['kind'],
  holder: number,
  round: number,
  first: number,
  turned: TurnRow | null,
  list: number,
  stage: Scope['stage'],
  values: JsonObject | null,
];

/** The scopes that were stored before, as far as they are known. */
export interface ScopesBase {
  readonly task: Task;
  /** How many of them stand each in a text of its own; 0: all are in one, as they once were. */
  readonly apart: number;
}

/** Puts the texts of the scopes that are new or have changed; tells how many stand apart then. */
export function encodeScopes(
  { plan, scopes }: Task,
  base: ScopesBase | null,
  beside: [number, string][],
): number {
  const { apart = 0, task } = base ?? {};
  if (scopes === task?.scopes) return apart;
  for (const [n, scope] of scopes.entries()) {
    if (n < apart && scope === task?.scopes[n]) continue;
    beside.push([PLACE.scope + n, JSON.stringify(toScopeRow(scope, plan.createdAt))]);
  }
  return scopes.length;
}

function toScopeRow({ turned, ...scope }: Scope, createdAt: number): ScopeRow {
  const { first, holder, kind, list, round, stage, values } = scope;
  return [kind, holder, round, first, toTurnRow(turned, createdAt), list, stage, values];
}

/** The scopes of a task. */
interface DecodedScopes {
  readonly scopes: readonly Scope[];
  readonly apart: number;
}

/** The scopes that stand beside a row: this number. Throws `DocumentFault`. */
export function decodeScopes(
  beside: ReadonlyMap<number, unknown>,
  count: number,
  createdAt: number,
): DecodedScopes {
  if (count === 0) return { scopes: NO_SCOPES, apart: 0 };
  const isTogether = beside.has(PLACE.scopes) && !beside.has(PLACE.scope);
  const rows = isTogether ? rowsTogether(beside.get(PLACE.scopes)) : rowsApart(beside, count);
  if (rows.length !== count) throw new DocumentFault(`scopes are ${rows.length}, not ${count}`);
  return { scopes: toScopes(rows, createdAt), apart: isTogether ? 0 : count };
}

function rowsTogether(text: unknown): readonly ScopeRow[] {
  return readList(readStoredJson(text, 'its scopes') as readonly ScopeRow[], 'its scopes');
}

function rowsApart(beside: ReadonlyMap<number, unknown>, count: number): readonly ScopeRow[] {
  // There cannot be more than there are texts, whatever the row says.
  if (count > beside.size) throw new DocumentFault('a part of its scopes is missing');
  return Array.from({ length: count }, (_, n) => {
    return readStoredJson(beside.get(PLACE.scope + n), `scopes[${n}]`) as ScopeRow;
  });
}

function toScopes(rows: readonly ScopeRow[], createdAt: number): readonly Scope[] {
  return rows.map((row, n) => {
    const [kind, holder, round, first, turn, list, stage, values] = readList(
      row as unknown as readonly unknown[],
      `scopes[${n}]`,
    ) as unknown as ScopeRow;
    const turned = fromTurnRow(turn, createdAt);
    const way = turned === null ? 'forward' : 'back';
    return { kind, holder, list, round, first, way, turned, stage, values };
  });
}
