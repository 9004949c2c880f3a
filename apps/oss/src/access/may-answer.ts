import { hasRightsOf, type Principal } from '#access';
import { rolesAsked, type Task } from '#core';
import type { PersonsEvent } from '#engine';
import { forbidden } from '#http-server';
import { ROLES } from '#ports';

/**
 * Refuses an answer to a step that asks for roles of which the caller has none. Names that are no
 * roles of Backstep are nobody's: an admin alone answers then. Throws a `Problem`.
 */
export function expectMayAnswer(principal: Principal, task: Task, event: PersonsEvent): void {
  if (event.kind !== 'judged') return;
  const asked = rolesAsked(task, event.step);
  if (asked.length === 0 || principal.role === 'admin') return;
  const isOne = ROLES.some((role) => asked.includes(role) && hasRightsOf(principal.role, role));
  if (isOne) return;
  const names = asked.join(' or ');
  throw forbidden(principal, `may not answer step ${event.step}, which asks for ${names}`);
}
