import { hasExpression, isLockName, type LockPlan } from '#core';
import { inside, type Site } from './build-action.js';
import type { WrittenLock } from './written-flow.js';

/** Locks with every default filled in. */
export function buildLocks(locks: readonly WrittenLock[], site: Site): readonly LockPlan[] {
  return locks.map(({ name, slots = 1 }, i) => {
    if (!hasExpression(name) && !isLockName(name)) refuseName(inside(inside(site, i), 'name'));
    return { name, slots };
  });
}

function refuseName({ pointer, problems }: Site): void {
  const message = 'The name of a lock has a control character, or more than 200 characters.';
  const hint = 'Write a short text, such as "fleet:eu-1".';
  problems.add({ pointer, code: 'WRONG_NAME', message, hint });
}
