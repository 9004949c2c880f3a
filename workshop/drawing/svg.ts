import { plainLine } from '#wording';
import {
  type DrawnEdge,
  type DrawnList,
  type DrawnStep,
  edgesOf,
  LEGEND,
  type Tone,
  tonesIn,
} from './flow-graph.js';

const MARGIN = 12;
const LINE = 16;

const STYLE = `text{font:13px sans-serif;fill:#1c2733}rect{stroke:#5b6b7b;fill:#fff}
.cluster{fill:#f3f6f9}.undo{fill:#fff6e5;stroke:#b7791f}
line{stroke:#5b6b7b}.back{stroke:#b7791f;stroke-dasharray:5 4}`;

const TONE_STYLE = Object.entries(LEGEND).map(([tone, { fill, line }]) => {
  return `.${tone}{stroke:${line}}rect.${tone}:not(.cluster){fill:${fill}}`;
});

const ARROW =
  '<marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7"' +
  ' orient="auto"><path d="M0 0 8 4 0 8z" fill="#5b6b7b"/></marker>';

/** A graph as a picture of its own, without any other file. */
export function svgOf(steps: readonly DrawnStep[]): string {
  const { boxes, height, width } = stack([placeSteps(steps), ...legendOf(steps)]);
  const [w, h] = [width + 2 * MARGIN, height + 2 * MARGIN];
  const byId = new Map(boxes.map((box) => [box.id, box]));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" width="${w}" height="${h}">`,
    `<style>${STYLE}\n${TONE_STYLE.join('')}</style><defs>${ARROW}</defs>`,
    `<g transform="translate(${MARGIN} ${MARGIN})">`,
    ...boxes.map(boxText),
    ...edgesOf(steps).map((edge) => edgeText(edge, byId)),
    '</g>',
    '</svg>',
  ].join('\n');
}

/** The colours of states below the drawing of a task; a flow has none. */
function legendOf(steps: readonly DrawnStep[]): readonly Layout[] {
  const entries = tonesIn(steps).map((tone) => {
    const lines = [LEGEND[tone]['word'] ?? ''];
    return single({ id: `legend-${tone}`, kind: 'legend', tone, lines });
  });
  return entries.length === 0 ? [] : [beside(entries)];
}

function boxText({ height, kind, lines, tone, width, x, y }: Box): string {
  const words = lines.map((line, n) => {
    return `<text x="${x + 10}" y="${y + 4 + (n + 0.75) * LINE}">${escaped(line)}</text>`;
  });
  const round = kind === 'undo' ? 12 : 3;
  const place = `x="${x}" y="${y}" width="${width}" height="${height}" rx="${round}"`;
  return `<rect class="${tone === 'plain' ? kind : `${kind} ${tone}`}" ${place}/>${words.join('')}`;
}

function edgeText({ from, kind, to }: DrawnEdge, boxes: ReadonlyMap<string, Box>): string {
  const [start, end] = [boxes.get(from), boxes.get(to)];
  if (start === undefined || end === undefined) return '';
  const [x1, y1, x2, y2] = lineBetween(start, end);
  return `<line class="${kind}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" marker-end="url(#arrow)"/>`;
}

/** From side to side where both stand at one height, else from edge to edge. */
function lineBetween(start: Box, end: Box): readonly [number, number, number, number] {
  const middle = ({ width, x }: Box): number => x + width / 2;
  if (end.y >= start.y + start.height) {
    return [middle(start), start.y + start.height, middle(end), end.y];
  }
  if (end.y + end.height <= start.y)
    return [middle(start), start.y, middle(end), end.y + end.height];
  const height = Math.min(start.height, end.height) / 2;
  return [start.x + start.width, start.y + height, end.x, end.y + height];
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function escaped(line: string): string {
  return plainLine(line).replaceAll(/[&<>"]/g, (mark) => ESCAPES[mark] ?? mark);
}

/** A rectangle with its words; lengths in pixels. */
interface Box {
  readonly id: string;
  readonly kind: 'step' | 'cluster' | 'undo' | 'legend';
  readonly tone: Tone;
  readonly lines: readonly string[];
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Boxes, outer ones first, and the space that they take. */
interface Layout {
  readonly boxes: readonly Box[];
  readonly width: number;
  readonly height: number;
}

const LETTER = 7.5;
const PADDING = 10;
const GAP = 30;

/** Puts steps into layers, each below what it needs; steps of one layer stand side by side. */
function placeSteps(steps: readonly DrawnStep[]): Layout {
  const layers: Layout[][] = [];
  const depths = depthsOf(steps);
  for (const step of steps) (layers[depths.get(step.name) ?? 0] ??= []).push(placeStep(step));
  return stack(layers.map((layer) => beside(layer ?? [])));
}

/** The longest way to each step from one that needs nothing. */
function depthsOf(steps: readonly DrawnStep[]): ReadonlyMap<string, number> {
  const byName = new Map(steps.map((step) => [step.name, step]));
  const depths = new Map<string, number>();
  const depthOf = (name: string): number => {
    const known = depths.get(name);
    if (known !== undefined) return known;
    const needs = byName.get(name)?.needs ?? [];
    const depth = needs.reduce((deepest, need) => Math.max(deepest, depthOf(need) + 1), 0);
    depths.set(name, depth);
    return depth;
  };
  for (const { name } of steps) depthOf(name);
  return depths;
}

/** A step, and beside it what undoes it. */
function placeStep({ id, lines, lists, name, tone, undo }: DrawnStep): Layout {
  const words = [name, ...lines];
  const own =
    lists.length === 0
      ? single({ id, kind: 'step', tone, lines: words })
      : around({ id, tone, lines: words }, beside(lists.map(placeList)));
  if (undo === null) return own;
  return beside([own, single({ ...undo, kind: 'undo' })]);
}

function placeList({ id, steps, title }: DrawnList): Layout {
  return around({ id, tone: 'plain', lines: [title] }, placeSteps(steps));
}

function single(box: Pick<Box, 'id' | 'kind' | 'lines' | 'tone'>): Layout {
  const width = widthOf(box.lines);
  const height = box.lines.length * LINE + PADDING;
  return { boxes: [{ ...box, x: 0, y: 0, width, height }], width, height };
}

function around({ id, lines, tone }: Pick<Box, 'id' | 'lines' | 'tone'>, inner: Layout): Layout {
  const head = lines.length * LINE + PADDING;
  const width = Math.max(widthOf(lines), inner.width + 2 * PADDING);
  const height = head + inner.height + PADDING;
  const box: Box = { id, kind: 'cluster', tone, lines, x: 0, y: 0, width, height };
  return { boxes: [box, ...moved(inner, PADDING, head)], width, height };
}

function beside(parts: readonly Layout[]): Layout {
  let x = 0;
  const boxes = parts.flatMap((part) => {
    const here = moved(part, x, 0);
    x += part.width + GAP;
    return here;
  });
  const height = parts.reduce((most, part) => Math.max(most, part.height), 0);
  return { boxes, width: Math.max(0, x - GAP), height };
}

function stack(parts: readonly Layout[]): Layout {
  let y = 0;
  const boxes = parts.flatMap((part) => {
    const here = moved(part, 0, y);
    y += part.height + GAP;
    return here;
  });
  const width = parts.reduce((most, part) => Math.max(most, part.width), 0);
  return { boxes, width, height: Math.max(0, y - GAP) };
}

function moved({ boxes }: Layout, x: number, y: number): readonly Box[] {
  return boxes.map((box) => ({ ...box, x: box.x + x, y: box.y + y }));
}

function widthOf(lines: readonly string[]): number {
  return lines.reduce((most, line) => Math.max(most, line.length * LETTER), 60) + 2 * PADDING;
}
