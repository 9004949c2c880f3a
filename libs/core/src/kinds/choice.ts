import { invariant } from '../assert.js';
import { stepAt } from '../scopes/step-at.js';
import { beginScope, scopeIn } from '../moves/scope-change.js';
import { failsForRoom, holderKind, startHolder, succeedHolder } from './holder.js';
import type { StepKind } from './kind.js';

/** The first case whose condition holds is run, else `otherwise`, else nothing. */
export const choice: StepKind = holderKind({
  start(change, place, { when }) {
    const step = stepAt(change, place);
    invariant(step?.choice !== undefined, `the step at ${place} is no choice`);
    const list = Number(when);
    const isNone = list >= step.choice.length && step.otherwise === null;
    if (!isNone && failsForRoom(change, place, [{ kind: 'case', list }])) return;
    startHolder(change, place);
    if (isNone) succeedHolder(change, place);
    else beginScope(change, place, { kind: 'case', list });
  },
  done: (change, scope) => succeedHolder(change, scopeIn(change, scope).holder),
});
