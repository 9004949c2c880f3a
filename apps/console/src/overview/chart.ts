import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { axisClockWords } from '../ui/durations.js';
import { type Bar, type Group, GROUPS } from './throughput-data.js';

/** A chart in the page. */
export interface Chart {
  readonly show: (bars: readonly Bar[]) => void;
  readonly remove: () => void;
}

const HEIGHT = 190;
/** Half a time of day stands on the right of the last moment, in pixels. */
const RIGHT = 28;
const COLOURS: Readonly<Record<Group, string>> = {
  succeeded: '--good',
  moving: '--move',
  terminated: '--faint',
  rolled_back: '--back',
  person: '--bad',
};

/** Draws bars that are stacked, in the colours of the page, as wide as their place. */
export function openChart(place: HTMLElement, every: number): Chart {
  const plot = new uPlot(optionsOf(place, every), dataOf([]), place);
  const fit = (): void => plot.setSize({ width: place.clientWidth, height: HEIGHT });
  const sizes = new ResizeObserver(fit);
  sizes.observe(place);
  const colours = new MutationObserver(() => plot.redraw(false, true));
  colours.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return {
    show: (bars) => plot.setData(dataOf(bars)),
    remove: () => {
      sizes.disconnect();
      colours.disconnect();
      plot.destroy();
    },
  };
}

function optionsOf(place: HTMLElement, every: number): uPlot.Options {
  const colour = (name: string): string => getComputedStyle(place).getPropertyValue(name).trim();
  const axis = {
    stroke: () => colour('--faint'),
    grid: { stroke: () => colour('--line'), width: 1 },
    ticks: { show: false },
  };
  const paths = uPlot.paths.bars?.({ size: [0.8, 40], align: 1 });
  return {
    width: place.clientWidth,
    height: HEIGHT,
    padding: [null, RIGHT, null, null],
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { range: (_, from, to) => [from, to + every] }, y: { range: topOf } },
    axes: [
      {
        ...axis,
        size: 30,
        // A time of day takes most of it.
        space: 80,
        grid: { show: false },
        values: (_, moments) => moments.map(axisClockWords),
      },
      { ...axis, size: 44, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000, 10_000] },
    ],
    series: [
      {},
      // The highest stack first: each lower one is drawn over it.
      ...GROUPS.toReversed().map(([group]) => ({
        label: group,
        fill: () => colour(COLOURS[group]),
        width: 0,
        points: { show: false },
        ...(paths !== undefined && { paths }),
      })),
    ],
  };
}

function topOf(_: uPlot, _least: number, most: number): [number, number] {
  return [0, Math.max(4, most * 1.1)];
}

/** Moments, then for each group, from the top of a bar down, how high it reaches. */
function dataOf(bars: readonly Bar[]): uPlot.AlignedData {
  const heights = GROUPS.map((_, index) => {
    const below = GROUPS.slice(0, index + 1);
    return bars.map(({ counts }) => below.reduce((sum, [group]) => sum + counts[group], 0));
  });
  return [bars.map(({ at }) => at), ...heights.toReversed()];
}
