import { scopesFreedBy, standsAtEnd } from '../scopes/waiting-branches.js';
import { stepAt } from '../scopes/step-at.js';
import { scopesOf } from '../scopes/scope-index.js';
import { undoNext } from '../moves/holder-back.js';
import { beginScope, hasOpenScope, nameAt, scopeIn } from '../moves/scope-change.js';
import { failsForRoom, holderKind, startHolder, succeedHolder } from './holder.js';
import type { StepKind } from './kind.js';

/** Lists of steps beside each other: done when all of them are, and undone beside each other. */
export const parallel: StepKind = holderKind({
  start(change, place) {
    const branches = (stepAt(change, place)?.parallel ?? []).map((_, list) => {
      return { kind: 'branch', list } as const;
    });
    if (failsForRoom(change, place, branches)) return;
    startHolder(change, place);
    for (const branch of branches) beginScope(change, place, branch);
  },
  done(change, scope) {
    const { holder } = scopeIn(change, scope);
    for (const freed of scopesFreedBy(change, scope)) change.progress.lookOver(freed);
    if (hasOpenScope(change, holder)) return;
    const scopes = scopesOf(change, holder).map((number) => scopeIn(change, number));
    const isFailed = scopes.some(({ stage }) => stage === 'clean');
    if (!isFailed) return succeedHolder(change, holder);
    if (standsAtEnd(change, holder)) return;
    // Others have failed, and nothing of them is left.
    const message = `another branch of step ${nameAt(change, holder)} failed`;
    undoNext(change, holder, { why: 'called_off', message });
  },
});
