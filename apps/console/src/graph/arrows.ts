import { isReached } from '#kinds';
import type { Box, Direction, Drawing } from './graph-layout.js';
import type { Graph } from './graph-model.js';
import { flatten } from './graph-nodes.js';
import type { Point } from './view.js';

/** An arrow as it is drawn. */
export interface DrawnArrow {
  readonly id: string;
  /** How many boxes are around it. */
  readonly depth: number;
  readonly look: 'ran' | 'ahead' | 'back';
  /** Its undo is under way. */
  readonly isMoving: boolean;
  /** Of its line and of its head, as an SVG path has them. */
  readonly line: string;
  readonly head: string;
}

/** From a box, how far arrows stand from its corner: forward ones above, the way back below. */
const ENDS = { LR: { forward: 36, back: 82 }, TB: { forward: 0.4, back: 0.6 } } as const;
/** Length and half the width of a head. */
const HEAD = { length: 9, half: 5 } as const;
/** How far an arrow bends that runs against its direction; see `reach`. */
const BEND = 6.25;

/** The arrows of a drawing; the layout is older than the states. */
export function arrowsOf(drawing: Drawing, graph: Graph, direction: Direction): DrawnArrow[] {
  const steps = new Map(flatten(graph.steps).map((step) => [step.id, step]));
  const boxes = new Map(drawing.boxes.map((box) => [box.id, box]));
  return drawing.arrows.flatMap(({ from, to }): DrawnArrow[] => {
    const [start, end] = [boxes.get(from), boxes.get(to)];
    if (start === undefined || end === undefined) return [];
    const isUsed = isReached(steps.get(to)?.state ?? '');
    const { depth } = start;
    const look = isUsed ? 'ran' : 'ahead';
    const ways = { depth, isMoving: false, ...curve([start, end], direction, false) };
    const forward: DrawnArrow = { id: `${from}>${to}`, look, ...ways };
    const undo = steps.get(from)?.undo?.state ?? 'none';
    if (!graph.isBack || !isUsed || undo === 'none' || undo === '') return [forward];
    const isMoving = undo !== 'succeeded' && undo !== 'skipped';
    const path = curve([end, start], direction, true);
    return [forward, { id: `${to}>${from} back`, depth, look: 'back', isMoving, ...path }];
  });
}

/** From the end of a box to the beginning of another, or from its beginning to the end of that. */
function curve(
  [from, to]: readonly [Box, Box],
  direction: Direction,
  isBack: boolean,
): Pick<DrawnArrow, 'line' | 'head'> {
  const sign = isBack ? -1 : 1;
  const lane = ENDS[direction][isBack ? 'back' : 'forward'];
  const start = endOf(from, direction, { lane, isFar: !isBack });
  const end = endOf(to, direction, { lane, isFar: isBack });
  const isAcross = direction === 'LR';
  const along = isAcross ? end.x - start.x : end.y - start.y;
  const shift = (at: Point, by: number, aside = 0): string =>
    isAcross ? `${at.x + by},${at.y + aside}` : `${at.x + aside},${at.y + by}`;
  const bend = reach(along * sign) * sign;
  const tail = -HEAD.length * sign;
  return {
    line: `M${shift(start, 0)} C${shift(start, bend)} ${shift(end, -bend)} ${shift(end, 0)}`,
    head: `M${shift(end, 0)} L${shift(end, tail, -HEAD.half)} L${shift(end, tail, HEAD.half)} Z`,
  };
}

/** How far the curve goes straight on: one that runs against its direction takes a bow. */
function reach(along: number): number {
  return along >= 0 ? along / 2 : BEND * Math.sqrt(-along);
}

/** `lane`: see `ENDS`. `isFar`: on the side to which the arrows forward go. */
function endOf(
  { height, width, x, y }: Box,
  direction: Direction,
  { isFar, lane }: { readonly isFar: boolean; readonly lane: number },
): Point {
  if (direction === 'LR') return { x: isFar ? x + width : x, y: y + lane };
  return { x: x + width * lane, y: isFar ? y + height : y };
}
