import type { JSX } from 'preact';
import type { TaskEvent } from '../api/shapes.js';
import { Icon, type IconName } from '../ui/icons.js';
import { lookOf } from '../ui/states.js';
import { eventWord, WORDS } from '../words.js';

interface TimelineProps {
  readonly events: readonly TaskEvent[];
  readonly onPick: (run: string) => void;
}

/** Everything that happened to the task, the newest first. */
export function Timeline({ events, onPick }: TimelineProps): JSX.Element {
  const newestFirst = [...events].reverse();
  return (
    <section class="panel" aria-labelledby="timeline-title">
      <h2 id="timeline-title">{WORDS.task.timeline}</h2>
      {/* Without marks, a list is none to Safari unless it says so. */}
      <ol class="timeline" role="list" aria-label={WORDS.task.timeline}>
        {newestFirst.map((event) => (
          <Entry key={event.seq} event={event} onPick={onPick} />
        ))}
      </ol>
    </section>
  );
}

interface EntryProps {
  readonly event: TaskEvent;
  readonly onPick: (run: string) => void;
}

function Entry({ event, onPick }: EntryProps): JSX.Element {
  const { actor, attempt, direction, kind, message, run, step } = event;
  const isBack = direction === 'rollback';
  const { icon, tone } = lookOfEvent(kind, isBack);
  const id = run ?? step;
  return (
    <li class={isBack ? 'is-back' : ''}>
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
            <span class="faint">{` attempt ${attempt}`}</span>
          )}
        </p>
        {message !== undefined && <p class="entry-message">{message}</p>}
        <p class="faint entry-foot">
          <time dateTime={event.at}>{clockTime(event.at)}</time>
          {actor !== 'backstep' && ` · ${actor}`}
        </p>
      </div>
    </li>
  );
}

function wordsOf(kind: string, direction: string | undefined): string {
  const words = eventWord(kind);
  if (kind.startsWith('task_') || kind.startsWith(direction ?? ' ')) return words;
  if (direction === 'alert') return `alert ${words}`;
  return direction === 'rollback' ? `undo ${words}` : words;
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

function clockTime(at: string): string {
  const moment = new Date(at);
  const style = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
  const text = new Intl.DateTimeFormat(undefined, { ...style, fractionalSecondDigits: 3 });
  return text.format(moment);
}
