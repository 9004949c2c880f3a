import { NO_SCOPES } from '#core';
import { DocumentFault, readStoredJson } from '#core/json';
import { codecOf, JSON_ROWS, SCOPE } from '#core/stored';
import type { Scope, Task } from '#core';
import { PLACE } from './places.js';

const SCOPES = codecOf(SCOPE, JSON_ROWS);

/** The scopes that were stored before, as far as they are known. */
export interface ScopesBase {
  readonly task: Task;
  /** How many of them stand each in a text of its own. */
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
    beside.push([PLACE.scope + n, JSON.stringify(SCOPES.write(scope, plan.createdAt))]);
  }
  return scopes.length;
}

/** The scopes that stand beside a row: this number. Throws `DocumentFault`. */
export function decodeScopes(
  beside: ReadonlyMap<number, unknown>,
  count: number,
  createdAt: number,
): readonly Scope[] {
  if (count === 0) return NO_SCOPES;
  // There cannot be more than there are texts, whatever the row says.
  if (count > beside.size) throw new DocumentFault('a part of its scopes is missing');
  return Array.from({ length: count }, (_, n) => {
    return SCOPES.read(readStoredJson(beside.get(PLACE.scope + n), `scopes[${n}]`), createdAt);
  });
}
