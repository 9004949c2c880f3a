import type { Schedule } from '../api/shapes.js';
import { WORDS } from '../words.js';

const { schedules: TEXT } = WORDS;

/** The moments of a schedule, as its author wrote them. */
export function whenText({ at, cron, every }: Schedule): string {
  if (cron !== undefined) return cron;
  if (at !== undefined) return `${TEXT.at} ${at}`;
  return `${TEXT.every} ${typeof every === 'number' ? WORDS.time.seconds(every) : (every ?? '')}`;
}
