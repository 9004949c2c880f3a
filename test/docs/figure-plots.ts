import { readPage } from './pages.js';

const PAGE = 'docs/performance.md';
const TITLE = /^### (.+)$/;

/** A row of the table of figures: how many times as good as what stands beside it. */
interface Figure {
  readonly name: string;
  readonly ratio: number;
  /** The least ratio that it is to reach; null: another kind of goal, or none. */
  readonly goal: number | null;
  readonly isMissed: boolean;
}

/** Sizes in pixels. */
const WIDTH = 860;
const BAR_FROM = 430;
const BAR_TO = 800;
const ROW = 18;
const TOP = 46;

/** From a quarter of what stands beside it to eight times as good. */
const LEAST = 1 / 4;
const MOST = 8;
const TICKS = [1 / 4, 1 / 2, 1, 2, 4, 8] as const;

const STYLE =
  'text{font:12px system-ui,sans-serif;fill:#1b2130}.faint{fill:#596276}' +
  '.bar{fill:#3247c7}.below{fill:#b4552d}.line{stroke:#c3c9d5}.one{stroke:#596276}' +
  '.goal{stroke:#1b2130;stroke-width:2}' +
  '@media(prefers-color-scheme:dark){text{fill:#e8ebf2}.faint{fill:#a3adc0}' +
  '.bar{fill:#9db0ff}.below{fill:#f0a37a}.line{stroke:#2b3344}.one{stroke:#a3adc0}' +
  '.goal{stroke:#e8ebf2}}';

/** The plots of the figures of docs/performance.md, by their files. */
export function figurePlots(): ReadonlyMap<string, string> {
  const plots = new Map<string, string>();
  for (const [title, figures] of tablesOf(readPage(PAGE).text)) {
    plots.set(`docs/pictures/performance-${title.toLowerCase()}.svg`, plotOf(title, figures));
  }
  return plots;
}

function tablesOf(page: string): ReadonlyMap<string, readonly Figure[]> {
  const [, figures = ''] = page.split('<!-- figures: ');
  const tables = new Map<string, Figure[]>();
  let rows: Figure[] = [];
  for (const line of figures.split('<!-- end of figures -->')[0]?.split('\n') ?? []) {
    const [, title] = TITLE.exec(line) ?? [];
    if (title !== undefined) tables.set(title, (rows = []));
    const figure = figureOf(line);
    if (figure !== null) rows.push(figure);
  }
  return tables;
}

function figureOf(line: string): Figure | null {
  const cells = line.split('|').map((cell) => cell.trim());
  const [, name = '', , , , ratio = '', goal = '', verdict] = cells;
  const factor = /^([\d.]+)x$/.exec(ratio)?.[1];
  if (factor === undefined) return null;
  const least = /^>= ([\d.]+)x/.exec(goal)?.[1];
  return {
    name,
    ratio: Number(factor),
    goal: least === undefined ? null : Number(least),
    isMissed: verdict === 'MISSED',
  };
}

function plotOf(title: string, figures: readonly Figure[]): string {
  const height = TOP + figures.length * ROW + 12;
  const head = `${title}: how many times as good as what it is measured beside`;
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img">`,
    `<title>${head}</title>`,
    `<style>${STYLE}</style>`,
    `<text x="0" y="14">${head}</text>`,
    ...TICKS.map((at) => tick(at, height - 8)),
    ...figures.flatMap((figure, row) => bar(figure, TOP + row * ROW)),
    '</svg>',
  ];
  return `${lines.join('\n')}\n`;
}

function tick(ratio: number, bottom: number): string {
  const x = placeOf(ratio);
  const name = ratio === 1 ? 'one' : 'line';
  return (
    `<line class="${name}" x1="${x}" x2="${x}" y1="${TOP - 6}" y2="${bottom}"/>` +
    `<text class="faint" x="${x}" y="${TOP - 12}" text-anchor="middle">${ratio}x</text>`
  );
}

function bar({ goal, isMissed, name, ratio }: Figure, top: number): readonly string[] {
  const [from, to] = [placeOf(1), placeOf(ratio)];
  const [x, width] = [Math.min(from, to), Math.max(1, Math.abs(to - from))];
  const middle = top + 12;
  const end = Math.max(from, to) + 6;
  const mark = goal === null ? [] : [goalMark(placeOf(goal), top)];
  return [
    `<text x="${BAR_FROM - 12}" y="${middle}" text-anchor="end">${named(name)}</text>`,
    `<rect class="${isMissed ? 'below' : 'bar'}" x="${x}" y="${top + 3}" width="${width}" height="11"/>`,
    ...mark,
    `<text x="${end}" y="${middle}">${ratio.toFixed(2)}</text>`,
  ];
}

function goalMark(x: number, top: number): string {
  return `<line class="goal" x1="${x}" x2="${x}" y1="${top + 1}" y2="${top + 16}"/>`;
}

/** Where a ratio stands, by its logarithm: half as good is as far from 1 as twice as good. */
function placeOf(ratio: number): number {
  const part = Math.log(Math.min(MOST, Math.max(LEAST, ratio)) / LEAST) / Math.log(MOST / LEAST);
  return Math.round(BAR_FROM + part * (BAR_TO - BAR_FROM));
}

function named(name: string): string {
  const most = 66;
  const text = name.length > most ? `${name.slice(0, most - 1)}…` : name;
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
