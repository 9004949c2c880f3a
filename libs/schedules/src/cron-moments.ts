import { Cron } from 'croner';
import type { Moments, Span } from './moments.js';
import { WrongSchedule } from './wrong-schedule.js';

const HINT =
  'Write minute, hour, day of the month, month and day of the week, as in `30 2 * * MON-FRI`; ' +
  'a sixth field in front is the second.';

/** Longest text that is read. */
const LENGTH_MAX = 200;

/** Moments of an expression that were read and are used again. */
const KNOWN_MAX = 200;
const known = new Map<string, Moments>();

/**
 * The moments of a cron expression in a time zone. Where the clock is set forward, a fixed time
 * that it jumps over comes at the end of the jump; where it is set back, a fixed time comes once,
 * and what repeats by `*` or a step goes on repeating. Throws `WrongSchedule`.
 */
export function cronMoments(text: string, timezone: string): Moments {
  const key = `${timezone} ${text}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = momentsIn(readCron(text, timezone));
  if (known.size >= KNOWN_MAX) known.delete(known.keys().next().value!);
  known.set(key, made);
  return made;
}

function readCron(text: string, timezone: string): Cron {
  const fields = text.trim().split(/\s+/).length;
  if (text.length > LENGTH_MAX || (fields !== 5 && fields !== 6)) {
    const message = '`cron` has five fields or six.';
    throw new WrongSchedule('WRONG_CRON', 'cron', { message, hint: HINT });
  }
  try {
    const options = { mode: '5-or-6-parts', fixedTimeRule: 'no-wildcard', timezone } as const;
    return new Cron(text, options);
  } catch (error) {
    const reason = (error as Error).message.replace(/^CronPattern: /, '');
    const message = `\`cron\` is not a cron expression: ${reason.replace(/\.$/, '')}.`;
    throw new WrongSchedule('WRONG_CRON', 'cron', { message, hint: HINT });
  }
}

function momentsIn(cron: Cron): Moments {
  // Finding it takes long, and who decides, who shows it and who decides again ask for the same.
  let asked = NaN;
  let answer: number | null = null;
  const next = (after: number): number | null => {
    if (after !== asked) answer = cron.nextRun(new Date(after))?.getTime() ?? null;
    asked = after;
    return answer;
  };
  return {
    next,
    last: ({ before, from }, limit) => {
      const runs = cron.previousRuns(limit, new Date(before)).map((run) => run.getTime());
      return runs.filter((run) => run >= from).toSorted((a, b) => a - b);
    },
    count: ({ before, from }: Span, max) => {
      let count = 0;
      for (let at = next(from - 1); at !== null && at < before && count < max; at = next(at)) {
        count += 1;
      }
      return count;
    },
  };
}
