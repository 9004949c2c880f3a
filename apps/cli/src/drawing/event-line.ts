import { plainLine } from '#wording';
import type { Paint } from '../session.js';
import type { TaskEvent } from '../client/types.js';

const COLOURS: Readonly<Record<string, 'green' | 'red' | 'yellow' | 'magenta' | 'cyan'>> = {
  started: 'cyan',
  succeeded: 'green',
  task_succeeded: 'green',
  failed: 'red',
  timed_out: 'red',
  task_rollback_failed: 'red',
  alert_raised: 'red',
  turned_back: 'yellow',
  pause_requested: 'yellow',
  task_terminated: 'yellow',
  task_rolled_back: 'magenta',
};

/** The actor of what the gateway does by itself. */
const OWN = 'backstep';

/** Events whose actor is an executor. All others that have one are people's. */
const OF_EXECUTORS: ReadonlySet<string> = new Set(['started', 'lease_lost']);

/** One event on one line: when, what, which step and attempt; `↩` on the way back, `⚠` an alert. */
export function eventLine(event: TaskEvent, paint: Paint): string {
  const { actor, at, attempt, direction, kind, message, refused, run, step } = event;
  const colour = COLOURS[kind];
  const word = kind.replaceAll('_', ' ').padEnd(16);
  const back = kind.startsWith('alert_') ? '⚠' : direction === 'rollback' ? '↩' : ' ';
  const again = attempt !== undefined && attempt > 1 ? ` (attempt ${attempt})` : '';
  const what = step === undefined ? '' : `${run ?? step}${again}`;
  const before = refused === true ? 'nothing was done: ' : '';
  const why =
    message === undefined ? '' : `${what === '' ? '' : ': '}${before}${plainLine(message)}`;
  const isOwn = actor === OWN || OF_EXECUTORS.has(kind);
  const by = isOwn ? '' : ` (by ${plainLine(actor)})`;
  const shown = colour === undefined ? word : paint[colour](word);
  return `${paint.dim(at)}  ${back} ${shown}  ${what}${why}${by}`.trimEnd();
}
