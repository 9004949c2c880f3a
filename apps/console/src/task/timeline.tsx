import type { JSX } from 'preact';
import type { TaskEvent } from '../api/shapes.js';
import { dayWords, exactClockWords, relativeWords, secondsOf } from '../ui/durations.js';
import { LinkedText } from '../ui/linked-text.js';
import { Icon, type IconName } from '../ui/icons.js';
import { useSeconds } from '../ui/moment.js';
import { lookOf } from '../ui/states.js';
import { eventWord, WORDS } from '../words.js';

interface TimelineProps {
  readonly events: readonly TaskEvent[];
  readonly onPick: (run: string) => void;
}

/** Everything that happened to the task, the newest first. */
export function Timeline({ events, onPick }: TimelineProps): JSX.Element {
  const newestFirst = [...events].reverse();
  const days = newestFirst.map(({ at }) => dayWords(secondsOf(at)));
  const present = useSeconds();
  return (
    <section class="panel" aria-labelledby="timeline-title">
      <h2 id="timeline-title">{WORDS.task.timeline}</h2>
      {/* Without marks, a list is none to Safari unless it says so. */}
      <ol class="timeline" role="list" aria-label={WORDS.task.timeline}>
        {newestFirst.map((event, index) => (
          <Entry
            key={event.seq}
            {...{ event, onPick, present }}
            day={days[index] === days[index - 1] ? null : (days[index] ?? null)}
          />
        ))}
      </ol>
    </section>
  );
}

interface EntryProps {
  readonly event: TaskEvent;
  /** The day, where the event before is of another; else null. */
  readonly day: string | null;
  /** Seconds since 1970. */
  readonly present: number;
  readonly onPick: (run: string) => void;
}

function Entry({ day, event, onPick, present }: EntryProps): JSX.Element {
  const { actor, attempt, direction, kind, message, run, step } = event;
  const isBack = direction === 'rollback';
  const { icon, tone } = lookOfEvent(kind, isBack);
  const id = run ?? step;
  const at = secondsOf(event.at);
  return (
    <li class={isBack ? 'is-back' : ''}>
      {day !== null && <h3 class="day">{day}</h3>}
      <span class={`dot tone-${tone}`}>
        <Icon name={icon} />
      </span>
      <div>
        <p class="entry-head">
          {id !== undefined && (
            <button type="button" class="link" onClick={() => onPick(id)}>
              {id}
            </button>
          )}{' '}
          <span>{wordsOf(kind, direction)}</span>
          {attempt !== undefined && attempt > 1 && (
            <span class="faint"> {WORDS.journal.attempt(attempt)}</span>
          )}
        </p>
        {message !== undefined && (
          <p class="entry-message">
            <LinkedText text={message} />
          </p>
        )}
        <p class="faint entry-foot">
          <time dateTime={event.at}>{exactClockWords(at)}</time>
          {` · ${relativeWords(at, present)}`}
          {actor !== 'backstep' && ` · ${actor}`}
        </p>
      </div>
    </li>
  );
}

function wordsOf(kind: string, direction: string | undefined): string {
  const words = eventWord(kind);
  if (kind.startsWith('task_') || kind.startsWith(direction ?? ' ')) return words;
  const { directions } = WORDS.journal;
  if (direction !== 'alert' && direction !== 'rollback') return words;
  return directions[direction](words);
}

function lookOfEvent(
  kind: string,
  isBack: boolean,
): { readonly tone: string; readonly icon: IconName } {
  if (kind.startsWith('task_')) return lookOf(kind.slice('task_'.length));
  if (kind === 'started') return lookOf(isBack ? 'rolling_back' : 'running');
  if (kind === 'rolling_back' || kind === 'turned_back') return lookOf('rolling_back');
  if (kind === 'succeeded' && isBack) return { tone: 'back', icon: 'check' };
  return lookOf(kind);
}
