import { scopesFreedBy } from '../branches.js';
import { scopesOf, stepAt } from '../places.js';
import { undoNext } from '../holder-back.js';
import { beginScope, hasOpenScope, nameAt, scopeIn } from '../scope-change.js';
import { holderKind, startHolder, succeedHolder } from './holder.js';
import type { StepKind } from './kind.js';

/** Lists of steps beside each other: done when all of them are, and undone beside each other. */
export const parallel: StepKind = holderKind({
  start(change, place) {
    startHolder(change, place);
    const branches = stepAt(change, place)?.parallel ?? [];
    branches.forEach((_, list) => beginScope(change, place, { kind: 'branch', list }));
  },
  done(change, scope) {
    const { holder } = scopeIn(change, scope);
    for (const freed of scopesFreedBy(change, scope)) change.tally.lookAt(freed);
    if (hasOpenScope(change, holder)) return;
    const scopes = scopesOf(change, holder).map((number) => scopeIn(change, number));
    const isFailed = scopes.some(({ stage }) => stage === 'clean');
    if (!isFailed) return succeedHolder(change, holder);
    // Others have failed, and nothing of them is left.
    const message = `another branch of step ${nameAt(change, holder)} failed`;
    undoNext(change, holder, { why: 'called_off', message });
  },
});
