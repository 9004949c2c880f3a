import { DocumentFault, NO_SCOPES, readJson, readList } from '#core';
import type { JsonObject, Scope } from '#core';
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

/** JSON text of a task's scopes. */
export function encodeScopes(scopes: readonly Scope[], createdAt: number): string {
  const rows = scopes.map(({ turned, ...scope }): ScopeRow => {
    const { first, holder, kind, list, round, stage, values } = scope;
    return [kind, holder, round, first, toTurnRow(turned, createdAt), list, stage, values];
  });
  return JSON.stringify(rows);
}

/** The scopes that a text stands for: so many. Throws `DocumentFault`. */
export function decodeScopes(text: unknown, count: number, createdAt: number): readonly Scope[] {
  if (count === 0) return NO_SCOPES;
  const rows = readList(readJson(text, 'its scopes') as readonly ScopeRow[], 'its scopes');
  if (rows.length !== count) throw new DocumentFault(`scopes are ${rows.length}, not ${count}`);
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
