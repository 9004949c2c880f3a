import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Task, TaskEvent } from '../api/shapes.js';
import { Head } from '../ui/table-head.js';
import { shortWords } from '../ui/durations.js';
import { useItemWindow } from '../ui/item-window.js';
import { Moment } from '../ui/moment.js';
import { Scrolled } from '../ui/scrolled.js';
import { lookOf } from '../ui/states.js';
import { useTicking } from '../ui/ticks.js';
import { stateWord, WORDS } from '../words.js';
import type { RunNames } from './run-names.js';
import { type HalfSpan, spansOf } from './spans.js';

/** Pixels of most rows. */
const ROW_PX = 30;
/** Units of the drawing that stand for the whole time; its width is that of the column. */
const WIDE = 1_000;
/** Even the shortest can be seen. */
const BAR_MIN = 4;

interface GanttProps {
  readonly task: Task;
  readonly events: readonly TaskEvent[];
  readonly names: RunNames;
  readonly onPick: (run: string) => void;
}

/** When each step ran and was undone, and how long it took: as bars, and in words. */
export function Gantt({ events, names, onPick, task }: GanttProps): JSX.Element | null {
  const spans = useMemo(() => spansOf(task, events), [task, events]);
  const { after, box, items, measure } = useItemWindow<HTMLDivElement>({
    count: spans.length,
    itemPx: ROW_PX,
    keyOf: (index) => keyOf(spans[index]),
  });
  const end = useEnd(spans);
  const [first] = spans;
  if (first === undefined) return null;
  const { begun, columns, title } = WORDS.gantt;
  const whole = { from: first.from, to: end };
  return (
    <section class="panel" aria-labelledby="gantt-title">
      <h2 id="gantt-title">{title}</h2>
      <p class="faint">
        {`${begun} `}
        <Moment at={first.from} isWhole isRelative={false} />
      </p>
      <Scrolled name={title} box={box}>
        <table class="gantt" aria-label={title} aria-rowcount={spans.length + 1}>
          <Head columns={columns} />
          <tbody>
            <Gap height={items[0]?.gap ?? 0} />
            {items.map(({ index }) => {
              const span = spans[index] ?? first;
              return <Row key={keyOf(span)} {...{ span, index, measure, names, onPick, whole }} />;
            })}
            <Gap height={after} />
          </tbody>
        </table>
      </Scrolled>
    </section>
  );
}

/** The end of the whole drawing: the present, while something runs. */
function useEnd(spans: readonly HalfSpan[]): number {
  const ends = spans.map(({ to }) => to ?? 0);
  const isOpen = spans.some(({ to }) => to === null);
  const last = ends.reduce((one, other) => Math.max(one, other), spans[0]?.from ?? 0);
  return useTicking((present) => (isOpen ? Math.max(present, last) : last));
}

function keyOf(span: HalfSpan | undefined): string {
  return `${span?.direction} ${span?.id}`;
}

/** Rows that are not drawn. */
function Gap({ height }: { readonly height: number }): JSX.Element | null {
  if (height === 0) return null;
  return (
    <tr aria-hidden="true">
      {/* Nothing to be named: it is the room of rows. */}
      {/* oxlint-disable-next-line jsx-a11y/control-has-associated-label */}
      <td colSpan={WORDS.gantt.columns.length} style={{ height: `${height}px` }} />
    </tr>
  );
}

interface RowProps extends Pick<GanttProps, 'names' | 'onPick'> {
  readonly span: HalfSpan;
  readonly index: number;
  readonly measure: (item: Element | null) => void;
  readonly whole: { readonly from: number; readonly to: number };
}

function Row({ index, measure, names, onPick, span, whole }: RowProps): JSX.Element {
  const { direction, from, id, state, to } = span;
  const { directions, open } = WORDS.gantt;
  const length = (to ?? whole.to) - from;
  const scale = WIDE / Math.max(whole.to - whole.from, Number.EPSILON);
  const width = Math.max(BAR_MIN, length * scale);
  const x = Math.min((from - whole.from) * scale, WIDE - width);
  const tone = direction === 'rollback' && state === 'succeeded' ? 'back' : lookOf(state).tone;
  return (
    <tr ref={measure} data-index={index} aria-rowindex={index + 2}>
      <th scope="row">
        <button type="button" class="link" title={id} onClick={() => onPick(id)}>
          {names(id)}
        </button>{' '}
        {directions[direction]}
      </th>
      <td>{`+${shortWords(from - whole.from)}`}</td>
      <td>{to === null ? open(shortWords(length)) : shortWords(length)}</td>
      <td class={`gantt-bar tone-${tone}`}>
        <span class="unseen">{stateWord(state)}</span>
        <svg aria-hidden="true" viewBox={`0 0 ${WIDE} 10`} preserveAspectRatio="none">
          <rect x={x} y={0} width={width} height={10} />
        </svg>
      </td>
    </tr>
  );
}
