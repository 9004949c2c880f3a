import { plainLine } from '#wording';
import { edgesOf, type GraphEdge, type GraphStep } from './flow-graph.js';
import { type Box, placeSteps } from './place-boxes.js';

const MARGIN = 12;
const LINE = 16;

const STYLE = `text{font:13px sans-serif;fill:#1c2733}rect{stroke:#5b6b7b;fill:#fff}
.cluster{fill:#f3f6f9}.undo{fill:#fff6e5;stroke:#b7791f}
line{stroke:#5b6b7b}.back{stroke:#b7791f;stroke-dasharray:5 4}`;

const ARROW =
  '<marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7"' +
  ' orient="auto"><path d="M0 0 8 4 0 8z" fill="#5b6b7b"/></marker>';

/** A graph as a picture of its own, without any other file. */
export function svgOf(steps: readonly GraphStep[]): string {
  const { boxes, height, width } = placeSteps(steps);
  const [w, h] = [width + 2 * MARGIN, height + 2 * MARGIN];
  const byId = new Map(boxes.map((box) => [box.id, box]));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" width="${w}" height="${h}">`,
    `<style>${STYLE}</style><defs>${ARROW}</defs>`,
    `<g transform="translate(${MARGIN} ${MARGIN})">`,
    ...boxes.map(boxText),
    ...edgesOf(steps).map((edge) => edgeText(edge, byId)),
    '</g>',
    '</svg>',
  ].join('\n');
}

function boxText({ height, kind, lines, width, x, y }: Box): string {
  const words = lines.map((line, n) => {
    return `<text x="${x + 10}" y="${y + 4 + (n + 0.75) * LINE}">${escaped(line)}</text>`;
  });
  const round = kind === 'undo' ? 12 : 3;
  const place = `x="${x}" y="${y}" width="${width}" height="${height}" rx="${round}"`;
  return `<rect class="${kind}" ${place}/>${words.join('')}`;
}

function edgeText({ from, kind, to }: GraphEdge, boxes: ReadonlyMap<string, Box>): string {
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
