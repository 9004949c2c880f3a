import { graphlib, layout as rank } from '@dagrejs/dagre';
import { edgesIn } from '#kinds';
import { type Open, scopeId } from './folding.js';
import type { GraphScope, GraphStep } from './graph-model.js';

/** Where a step or a box of steps stands, in pixels, from the corner of the drawing. */
export interface Box {
  readonly id: string;
  readonly parent: string | null;
  /** How many boxes are around it. */
  readonly depth: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly content:
    | { readonly kind: 'step'; readonly step: GraphStep }
    | {
        readonly kind: 'scope';
        readonly scope: GraphScope;
        readonly holder: GraphStep;
        /** Among the scopes of the step that holds it. */
        readonly index: number;
      };
}

/** A step that follows another. */
interface Arrow {
  readonly from: string;
  readonly to: string;
}

/** The whole drawing; what holds others comes before them. */
export interface Drawing {
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
  readonly width: number;
  readonly height: number;
}

export type Direction = 'LR' | 'TB';

const STEP = { width: 208, height: 78 } as const;
/** One more line: of a long name, or for the state below it. */
const LINE = 18;
/** Letters of a name that stand beside the state, beside one with a count, and in a whole line. */
const BESIDE_MAX = 7;
const TRIED_MAX = 5;
const LINE_MAX = 21;
/** Above what a step holds: its name, and its undo if it has one. */
const HEAD = { plain: 56, undo: 92 } as const;
const PAD = 14;
const SCOPE_HEAD = 30;
const GAP = { near: 28, far: 56 } as const;
/** A scope of which the head alone is drawn. */
const FOLDED: Drawing = { boxes: [], arrows: [], width: STEP.width, height: 0 };

/** How steps are drawn: where they lead to, and what is open of that which they hold. */
interface View {
  readonly direction: Direction;
  readonly open: Open;
}

/** Places steps by what they need; scopes are laid out by themselves and stand in their step. */
export function layout(steps: readonly GraphStep[], view: View): Drawing {
  const { boxes, ...drawing } = place(steps, view, null);
  const byId = new Map<string, Box>();
  for (const box of boxes) {
    const { depth, x, y } = byId.get(box.parent ?? '') ?? { depth: -1, x: 0, y: 0 };
    byId.set(box.id, { ...box, depth: depth + 1, x: x + box.x, y: y + box.y });
  }
  return { ...drawing, boxes: [...byId.values()] };
}

/** Boxes stand from the corner of what holds them. */

function place(steps: readonly GraphStep[], view: View, parent: string | null): Drawing {
  const insides = new Map(steps.map((step) => [step.id, inside(step, view)]));
  const arrows = edgesIn(steps);
  const order = { steps, arrows, sizes: insides, direction: view.direction };
  const { centres, ...size } = isChain(order) ? inLine(order) : inRanks(order);
  const boxes = steps.flatMap((step): readonly Box[] => {
    const { boxes: inner, height, width } = insides.get(step.id) ?? FOLDED;
    const { x, y } = centres.get(step.id) ?? { x: 0, y: 0 };
    const content = { kind: 'step', step } as const;
    const corner = { x: x - width / 2, y: y - height / 2, depth: 0 };
    return [{ id: step.id, parent, ...corner, width, height, content }, ...inner];
  });
  const inner = [...insides.values()].flatMap((one) => one.arrows);
  return { boxes, arrows: [...arrows, ...inner], ...size };
}

/** Steps of one list, to be placed beside each other. */
interface Order {
  readonly steps: readonly GraphStep[];
  readonly arrows: readonly Arrow[];
  readonly sizes: ReadonlyMap<string, Size>;
  readonly direction: Direction;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Where the middle of each step stands, and the room that all take. */
interface Placement extends Size {
  readonly centres: ReadonlyMap<string, Readonly<Record<'x' | 'y', number>>>;
}

/** Whether each step needs the one before it in the list, and no other. */
function isChain({ arrows, steps }: Order): boolean {
  if (arrows.length !== steps.length - 1) return false;
  return arrows.every(({ from, to }, n) => from === steps[n]?.id && to === steps[n + 1]?.id);
}

/** Most lists are chains: what makes ranks would take long to find the same. */
function inLine({ direction, sizes, steps }: Order): Placement {
  const isAcross = direction === 'LR';
  const all = steps.map(({ id }) => sizes.get(id) ?? STEP);
  const wide = Math.max(0, ...all.map(({ height, width }) => (isAcross ? height : width)));
  const centres = new Map<string, Readonly<Record<'x' | 'y', number>>>();
  let from = 0;
  for (const [n, { id }] of steps.entries()) {
    const { height, width } = all[n] ?? STEP;
    const length = isAcross ? width : height;
    const along = from + length / 2;
    centres.set(id, isAcross ? { x: along, y: wide / 2 } : { x: wide / 2, y: along });
    from += length + GAP.far;
  }
  const long = Math.max(0, from - GAP.far);
  return { centres, width: isAcross ? long : wide, height: isAcross ? wide : long };
}

function inRanks({ arrows, direction, sizes, steps }: Order): Placement {
  const graph = new graphlib.Graph();
  graph.setGraph({
    rankdir: direction,
    nodesep: GAP.near,
    ranksep: GAP.far,
    marginx: 0,
    marginy: 0,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of steps) {
    const { height, width } = sizes.get(id) ?? STEP;
    graph.setNode(id, { width, height });
  }
  for (const { from, to } of arrows) graph.setEdge(from, to);
  ranked(graph, arrows);
  const centres = new Map(steps.map(({ id }) => [id, graph.node(id) as Required<Rectangle>]));
  const size = graph.graph() as Partial<Size>;
  return { centres, width: size.width ?? 0, height: size.height ?? 0 };
}

/** In this much of a graph, crossings of arrows are counted. */
const COUNTED_MAX = 400;

/** Steps side by side stand in the order of the flow, unless more arrows would cross so. */
function ranked(graph: graphlib.Graph, arrows: readonly Arrow[]): void {
  const hasNoFork = new Set(arrows.map(({ from }) => from)).size === arrows.length;
  rank(graph);
  if ((hasNoFork && arrows.length > 0) || arrows.length > COUNTED_MAX) return;
  const least = crossings(graph, arrows);
  rank(graph, { disableOptimalOrderHeuristic: true });
  if (crossings(graph, arrows) > least) rank(graph);
}

/** How many pairs of arrows cross between the same two ranks, told by their ends. */
function crossings(graph: graphlib.Graph, arrows: readonly Arrow[]): number {
  const lines = arrows.map(({ from, to }) => {
    const [start, end] = [graph.node(from) as Rectangle, graph.node(to) as Rectangle];
    const isAcross = (graph.graph() as { readonly rankdir?: string }).rankdir === 'LR';
    return isAcross
      ? { from: start.x, to: end.x, start: start.y, end: end.y }
      : { from: start.y, to: end.y, start: start.x, end: end.x };
  });
  let count = 0;
  for (const [index, one] of lines.entries()) {
    for (const other of lines.slice(index + 1)) {
      const isBeside = one.from < other.to && other.from < one.to;
      if (isBeside && (one.start - other.start) * (one.end - other.end) < 0) count += 1;
    }
  }
  return count;
}

interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Whether the name of a step takes two lines, or its words do. */
export function isTall({ name, run }: Pick<GraphStep, 'name' | 'run'>): boolean {
  return run !== undefined || name.length > LINE_MAX;
}

/** Whether the name of a step needs the whole width, so that its state stands below. */
export function isWide({ attempts, name }: Pick<GraphStep, 'attempts' | 'name'>): boolean {
  return name.length > (attempts > 1 ? TRIED_MAX : BESIDE_MAX);
}

/** Whether its state needs a line of its own, below its command; in others it stands beside it. */
export function isDeep(step: GraphStep): boolean {
  const { run, scopes, state } = step;
  return isWide(step) && state !== '' && run === undefined && scopes.length === 0;
}

/** A step with what it holds, its scopes below each other; one that is folded is like others. */
function inside(step: GraphStep, view: View): Drawing {
  const isOpen = step.scopes.length > 0 && view.open.has(step.id);
  const more = (isTall(step) ? LINE : 0) + (isDeep(step) ? LINE : 0);
  if (!isOpen) return { boxes: [], arrows: [], width: STEP.width, height: STEP.height + more };
  const boxes: Box[] = [];
  const arrows: Arrow[] = [];
  let top = more + (step.undo === null ? HEAD.plain : HEAD.undo);
  let width: number = STEP.width;
  for (const [index, scope] of step.scopes.entries()) {
    const id = scopeId(step, index);
    const isDrawn = view.open.has(id) && scope.steps.length > 0;
    const drawn = isDrawn ? place(scope.steps, view, id) : FOLDED;
    const size = { width: drawn.width + 2 * PAD, height: drawn.height + SCOPE_HEAD + PAD };
    const content = { kind: 'scope', scope, holder: step, index } as const;
    boxes.push(
      { id, parent: step.id, depth: 0, x: PAD, y: top, ...size, content },
      ...drawn.boxes.map((box) => (box.parent === id ? shifted(box) : box)),
    );
    arrows.push(...drawn.arrows);
    top += size.height + PAD;
    width = Math.max(width, size.width + 2 * PAD);
  }
  return { boxes, arrows, width, height: top };
}

function shifted(box: Box): Box {
  return { ...box, x: box.x + PAD, y: box.y + SCOPE_HEAD };
}
