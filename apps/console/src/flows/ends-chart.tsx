import type { JSX } from 'preact';
import type { FlowStatistics } from '../api/shapes.js';
import { absoluteWords, hourWords, utcDayWords } from '../ui/durations.js';
import { Icon, type IconName } from '../ui/icons.js';
import { Scrolled } from '../ui/scrolled.js';
import { STATISTICS } from '../words/statistics.js';
import { type End, ENDS, endsOf, partsOf, totalOf } from './ends-data.js';

const ICONS: Readonly<Record<End, readonly [IconName, tone: string]>> = {
  succeeded: ['check', 'good'],
  rolled_back: ['back', 'back'],
  terminated: ['stop', 'quiet'],
  rollbackFailed: ['alert', 'bad'],
};

/** Size of the drawing in its own units; it is stretched to its place. */
const WIDTH = 720;
const HEIGHT = 140;

/** Share of its interval that a bar is wide. */
const BAR = 0.72;

/** How many tasks ended how, in all. */
export function EndSums({ value }: { readonly value: FlowStatistics }): JSX.Element {
  const counts = endsOf(value);
  return (
    <ul class="chart-sums">
      <li>
        <b>{value.started}</b> {STATISTICS.started}
      </li>
      {ENDS.map((end) => (
        <li key={end} class={`tone-${ICONS[end][1]}`}>
          <Icon name={ICONS[end][0]} />
          <b>{counts[end]}</b> {STATISTICS.groups[end]}
        </li>
      ))}
    </ul>
  );
}

/** A bar for each hour or day. Only to look at: the table has the same. */
export function EndsChart({ every, intervals }: FlowStatistics): JSX.Element {
  const counted = intervals.map((interval) => ({ at: interval.at, counts: endsOf(interval) }));
  const most = Math.max(1, ...counted.map(({ counts }) => totalOf(counts)));
  const room = WIDTH / counted.length;
  return (
    <figure class="ends" aria-hidden="true">
      <span class="faint ends-most">{most}</span>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
        <line class="ends-base" x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        {counted.map(({ at, counts }, index) =>
          partsOf(counts, most * 1.05).map(({ end, from, size }) => (
            <rect
              key={`${at} ${end}`}
              class={`tone-${ICONS[end][1]}`}
              x={room * (index + (1 - BAR) / 2)}
              y={HEIGHT * (1 - from - size)}
              width={room * BAR}
              height={HEIGHT * size}
            />
          )),
        )}
      </svg>
      <figcaption class="faint">
        {[0, Math.floor(counted.length / 2), counted.length - 1].map((index) => (
          <span key={index}>{axisWords(counted[index]?.at ?? 0, every)}</span>
        ))}
      </figcaption>
    </figure>
  );
}

/** A day, or an hour of a day, with its zone. */
function axisWords(at: number, every: number): string {
  return every < DAY ? hourWords(at) : utcDayWords(at);
}

/** In seconds. */
const DAY = 86_400;

/** The numbers behind the bars, the newest first. */
export function EndsTable({ intervals }: FlowStatistics): JSX.Element {
  const { chart, from, groups, started, table } = STATISTICS;
  const filled = intervals.filter((one) => one.started > 0 || totalOf(endsOf(one)) > 0);
  return (
    <details class="figures">
      <summary>{table}</summary>
      <Scrolled name={table}>
        <table aria-label={chart}>
          <thead>
            <tr>
              <th scope="col">{from}</th>
              <th scope="col">{started}</th>
              {ENDS.map((end) => (
                <th key={end} scope="col">
                  {groups[end]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {filled.toReversed().map((one) => (
              <tr key={one.at}>
                <th scope="row">{absoluteWords(one.at)}</th>
                <td>{one.started}</td>
                {ENDS.map((end) => (
                  <td key={end}>{endsOf(one)[end]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
    </details>
  );
}
