import type { TaskReceipt } from '../client/types.js';
import type { Column } from '../terminal/table.js';

/** Seconds since 1970 as people and programs both read it. */
export function timeText(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
}

/** When a task was made. */
export const createdColumn: Column<Pick<TaskReceipt, 'timeCreate'>> = {
  title: 'CREATED',
  value: ({ timeCreate }) => timeText(timeCreate),
};
