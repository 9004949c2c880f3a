import type { JSX } from 'preact';
import type { Task, TaskEvent } from '../api/shapes.js';
import { Head } from '../pages/listed-page.js';
import { shortWords } from '../ui/durations.js';
import { useSeconds } from '../ui/moment.js';
import { Scrolled } from '../ui/scrolled.js';
import { lookOf } from '../ui/states.js';
import { stateWord, WORDS } from '../words.js';
import { type HalfSpan, spansOf } from './spans.js';

/** More rows are slow to draw, and nobody reads them. */
const ROWS_MAX = 500;
/** Units of the drawing that stand for the whole time; its width is that of the column. */
const WIDE = 1_000;
/** Even the shortest can be seen. */
const BAR_MIN = 4;

interface GanttProps {
  readonly task: Task;
  readonly events: readonly TaskEvent[];
  readonly onPick: (run: string) => void;
}

/** When each step ran and was undone, and how long it took: as bars, and in words. */
export function Gantt({ events, onPick, task }: GanttProps): JSX.Element | null {
  const present = useSeconds();
  const spans = spansOf(task, events);
  const [first] = spans;
  if (first === undefined) return null;
  const end = Math.max(...spans.map(({ to }) => to ?? present), first.from);
  const { columns, cut, title } = WORDS.gantt;
  return (
    <section class="panel" aria-labelledby="gantt-title">
      <h2 id="gantt-title">{title}</h2>
      <Scrolled name={title}>
        <table class="gantt" aria-label={title}>
          <Head columns={columns} />
          <tbody>
            {spans.slice(0, ROWS_MAX).map((span) => (
              <Row
                key={`${span.direction} ${span.id}`}
                {...{ span, onPick, present }}
                whole={{ from: first.from, to: end }}
              />
            ))}
          </tbody>
        </table>
      </Scrolled>
      {spans.length > ROWS_MAX && <p class="faint">{cut(spans.length - ROWS_MAX)}</p>}
    </section>
  );
}

interface RowProps extends Pick<GanttProps, 'onPick'> {
  readonly span: HalfSpan;
  readonly present: number;
  readonly whole: { readonly from: number; readonly to: number };
}

function Row({ onPick, present, span, whole }: RowProps): JSX.Element {
  const { direction, from, id, state, to } = span;
  const { directions, open } = WORDS.gantt;
  const length = (to ?? present) - from;
  const scale = WIDE / Math.max(whole.to - whole.from, Number.EPSILON);
  const width = Math.max(BAR_MIN, length * scale);
  const x = Math.min((from - whole.from) * scale, WIDE - width);
  const tone = direction === 'rollback' && state === 'succeeded' ? 'back' : lookOf(state).tone;
  return (
    <tr>
      <th scope="row">
        <button type="button" class="link" onClick={() => onPick(id)}>
          {id}
        </button>{' '}
        {directions[direction]}
      </th>
      <td>{`+${shortWords(from - whole.from)}`}</td>
      <td>{to === null ? `${shortWords(length)}, ${open}` : shortWords(length)}</td>
      <td class={`gantt-bar tone-${tone}`}>
        <span class="unseen">{stateWord(state)}</span>
        <svg aria-hidden="true" viewBox={`0 0 ${WIDE} 10`} preserveAspectRatio="none">
          <rect x={x} y={0} width={width} height={10} />
        </svg>
      </td>
    </tr>
  );
}
