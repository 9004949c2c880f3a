import { api } from '../api/client.js';
import type { Explanation, Task } from '../api/shapes.js';
import { usePaced } from '../ui/polled.js';
import { isFinal } from './steps.js';

/** Causes lie outside of the task too; what moves in it is asked about at once. */
const CAUSES_EVERY_MS = 10_000;
const CAUSES_GAP_MS = 3_000;
/** Why the task does not move: asked with each new revision, and now and then; null: not known. */
export function useExplanation(task: Task | null): Explanation | null {
  const { revision = 0, status = '', taskId = '' } = task ?? {};
  const key = task === null || isFinal(status) ? '' : `${taskId} ${status}`;
  const { value } = usePaced(key, async (signal) => (key === '' ? null : api.why(taskId, signal)), {
    everyMs: CAUSES_EVERY_MS,
    gapMs: CAUSES_GAP_MS,
    wish: revision,
  });
  return value;
}
