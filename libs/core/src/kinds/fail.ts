import { stepAt } from '../scopes/step-at.js';
import { beginTask } from '../moves/scope-change.js';
import { failLeaf, leafKind } from './leaf.js';
import type { StepKind } from './kind.js';

/** Fails, with the error that its author gave it. */
export const fail: StepKind = leafKind({
  start(change, place, { message }) {
    const code = stepAt(change, place)?.fail?.code ?? 'FAILED';
    beginTask(change);
    failLeaf(change, place, { code, message: message as string });
  },
});
