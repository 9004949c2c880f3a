import { isObject } from '../json/shape.js';
import type { Alert } from '../task/task.js';

/** An alert that is due: no alert task is known to be stored. */
const DUE: Alert = Object.freeze({ number: 0, taskId: null, sentAt: null, looks: 0, dueAt: 0 });

/**
 * The alert behind its stored form, which is as good as that form is. An older form was the run of
 * an action: where a person is still needed, an alert task is started for it.
 */
export function storedAlert(stored: unknown): Alert | null {
  if (stored === null || stored === undefined) return null;
  const isOlder = !isObject(stored) || !('number' in stored);
  return isOlder ? DUE : (stored as unknown as Alert);
}
