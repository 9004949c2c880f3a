import type { ListedOperation } from '../api/shapes.js';
import { WORDS } from '../words.js';

/** How far an operation is, in one sentence. */
export function outcomeWords(operation: ListedOperation): string {
  const { done, dryRun, failed, isCounted, matched, refused, wouldDo } = operation;
  const { words } = WORDS.operations;
  const acted = dryRun ? `${wouldDo ?? 0} ${words.wouldDo}` : `${done} ${words.done}`;
  const found = isCounted ? `${matched}` : `${matched}+`;
  return `${found} ${words.matched}: ${acted}, ${refused} ${words.refused}, ${failed} ${words.failed}`;
}
