import type { JSX } from 'preact';
import type { TaskEvent } from '../api/shapes.js';
import { downloadText } from '../browser/download.js';
import { dayWords, exactClockWords, secondsOf, zoneWords } from '../ui/durations.js';
import { LinkedText } from '../ui/linked-text.js';
import { Icon, type IconName } from '../ui/icons.js';
import { useItemWindow } from '../ui/item-window.js';
import { Moment } from '../ui/moment.js';
import { lookOf } from '../ui/states.js';
import { eventWord, WORDS } from '../words.js';
import type { RunNames } from './run-names.js';

/** Pixels of most entries. */
const ENTRY_PX = 62;

interface TimelineProps {
  readonly taskId: string;
  readonly events: readonly TaskEvent[];
  readonly names: RunNames;
  readonly onPick: (run: string) => void;
}

/** Everything that happened to the task, the newest first; on the page only the part in view. */
export function Timeline({ events, names, onPick, taskId }: TimelineProps): JSX.Element {
  const count = events.length;
  const eventAt = (index: number): TaskEvent | undefined => events[count - 1 - index];
  const keyOf = (index: number): number => eventAt(index)?.seq ?? -index;
  const { after, box, items, measure } = useItemWindow<HTMLDivElement>({
    count,
    itemPx: ENTRY_PX,
    keyOf,
  });
  return (
    <section class="panel" aria-labelledby="timeline-title">
      <div class="panel-head">
        <h2 id="timeline-title">{WORDS.task.timeline}</h2>
        <button type="button" class="quiet" onClick={() => downloadEvents(taskId, events)}>
          {WORDS.task.history}
        </button>
      </div>
      {/* Without marks, a list is none to Safari unless it says so. */}
      <div class="timeline-box" ref={box}>
        <ol
          class="timeline"
          role="list"
          aria-label={WORDS.task.timeline}
          style={{ paddingTop: items[0]?.gap ?? 0, paddingBottom: after }}>
          {items.map(({ index }) => {
            const event = eventAt(index);
            if (event === undefined) return null;
            const day = dayOf(event, eventAt(index - 1));
            return (
              <Entry key={event.seq} {...{ event, names, onPick, measure, count, index, day }} />
            );
          })}
        </ol>
      </div>
    </section>
  );
}

/** One event a line, as the interface tells it. */
function downloadEvents(taskId: string, events: readonly TaskEvent[]): void {
  downloadText(`${taskId}.jsonl`, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
}

/** The day and zone of an event, where the one before it in the list is of another. */
function dayOf(event: TaskEvent, before: TaskEvent | undefined): string | null {
  const at = secondsOf(event.at);
  const day = dayWords(at);
  if (before !== undefined && dayWords(secondsOf(before.at)) === day) return null;
  return WORDS.time.zoned(day, zoneWords(at));
}

interface EntryProps {
  readonly event: TaskEvent;
  /** Its place in the list, and how many there are. */
  readonly index: number;
  readonly count: number;
  readonly measure: (item: Element | null) => void;
  /** The day, where the event before is of another; else null. */
  readonly day: string | null;
  readonly names: RunNames;
  readonly onPick: (run: string) => void;
}

function Entry(props: EntryProps): JSX.Element {
  const { count, day, event, index, measure, names, onPick } = props;
  const { actor, attempt, direction, kind, message, run, step } = event;
  const isBack = direction === 'rollback';
  const { icon, tone } = lookOfEvent(kind, isBack);
  const id = run ?? step;
  return (
    <li
      class={isBack ? 'is-back' : ''}
      ref={measure}
      data-index={index}
      aria-setsize={count}
      aria-posinset={index + 1}>
      {day !== null && <h3 class="day">{day}</h3>}
      <span class={`dot tone-${tone}`}>
        <Icon name={icon} />
      </span>
      <div>
        <p class="entry-head">
          {id !== undefined && (
            <button type="button" class="link" title={id} onClick={() => onPick(id)}>
              {names(id)}
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
          <Moment at={secondsOf(event.at)} words={exactClockWords} isRelative={false} isWhole />
          {' · '}
          <Moment at={secondsOf(event.at)} />
          {actor !== 'backstep' && ` · ${actor}`}
        </p>
      </div>
    </li>
  );
}

function wordsOf(kind: string, direction: string | undefined): string {
  const words = eventWord(kind);
  const isOfTask = kind.startsWith('task_') || kind.startsWith('alert_');
  if (isOfTask || kind.startsWith('rollback') || direction !== 'rollback') return words;
  return WORDS.journal.undo(words);
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
