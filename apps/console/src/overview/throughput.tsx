import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Counted } from '../api/shapes.js';
import { absoluteWords, zoneWords } from '../ui/durations.js';
import { Icon, type IconName } from '../ui/icons.js';
import { useTicking } from '../ui/ticks.js';
import { Scrolled } from '../ui/scrolled.js';
import { WORDS } from '../words.js';
import type { Chart } from './chart.js';
import { type Bar, barsOf, type Group, GROUPS, type Span, sumOf } from './throughput-data.js';

const ICONS: Readonly<Record<Group, readonly [IconName, tone: string]>> = {
  succeeded: ['check', 'good'],
  moving: ['play', 'move'],
  terminated: ['stop', 'quiet'],
  rolled_back: ['back', 'back'],
  person: ['alert', 'bad'],
};

interface ThroughputProps {
  /** Null: they are not there yet. */
  readonly value: Counted | null;
  readonly span: Span;
}

/** The ends of tasks in a time span: drawn, in words, and as a table. */
export function Throughput({ span, value }: ThroughputProps): JSX.Element {
  const present = useTicking(Math.floor);
  const bars = useMemo(() => value && barsOf(value, span, present), [value, span, present]);
  if (value === null || bars === null) {
    return (
      <p class="faint chart-loading" role="status">
        {WORDS.loading}
      </p>
    );
  }
  const sums = sumOf(bars);
  return (
    <>
      <ul class="chart-sums">
        <li>
          <b>{value.total}</b> {WORDS.throughput.started}
        </li>
        {GROUPS.map(([group]) => (
          <li key={group} class={`tone-${ICONS[group][1]}`}>
            <Icon name={ICONS[group][0]} />
            <b>{sums[group]}</b> {WORDS.throughput.groups[group]}
          </li>
        ))}
      </ul>
      {value.total === 0 ? (
        <p class="empty">{WORDS.throughput.none}</p>
      ) : (
        <Drawn key={span.every} bars={bars} every={span.every} />
      )}
      {!value.isComplete && <p class="faint">{WORDS.throughput.cut}</p>}
      {value.total > 0 && <Figures bars={bars} />}
    </>
  );
}

interface DrawnProps {
  readonly bars: readonly Bar[];
  readonly every: number;
}

/** Only to look at: the table has the same. The drawing code is loaded when it is first needed. */
function Drawn({ bars, every }: DrawnProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart | null>(null);
  const latest = useRef(bars);
  latest.current = bars;
  useEffect(() => {
    let isOver = false;
    const open = async (): Promise<void> => {
      const { openChart } = await import('./chart.js');
      if (isOver || place.current === null) return;
      chart.current = openChart(place.current, every);
      chart.current.show(latest.current);
    };
    void open();
    return () => {
      isOver = true;
      chart.current?.remove();
    };
  }, []);
  useEffect(() => chart.current?.show(bars), [bars]);
  return (
    <>
      <div class="chart-place" ref={place} aria-hidden="true" />
      <p class="faint chart-zone" aria-hidden="true">
        {WORDS.time.zone(zoneWords(bars.at(-1)?.at ?? 0))}
      </p>
    </>
  );
}

function Figures({ bars }: { readonly bars: readonly Bar[] }): JSX.Element {
  const { created, from, groups, table } = WORDS.throughput;
  const filled = bars.filter(({ total }) => total > 0).toReversed();
  return (
    <details class="figures">
      <summary>{table}</summary>
      <Scrolled name={table}>
        <table aria-label={WORDS.throughput.title}>
          <thead>
            <tr>
              <th scope="col">{from}</th>
              <th scope="col">{created}</th>
              {GROUPS.map(([group]) => (
                <th key={group} scope="col">
                  {groups[group]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {filled.map(({ at, counts, total }) => (
              <tr key={at}>
                <th scope="row">{absoluteWords(at)}</th>
                <td>{total}</td>
                {GROUPS.map(([group]) => (
                  <td key={group}>{counts[group]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
    </details>
  );
}
