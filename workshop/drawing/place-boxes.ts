import type { GraphList, GraphStep } from './flow-graph.js';

/** A rectangle with its words; lengths in pixels. */
export interface Box {
  readonly id: string;
  readonly kind: 'step' | 'cluster' | 'undo';
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

const LINE = 16;
const LETTER = 7.5;
const PADDING = 10;
const GAP = 30;

/** Puts steps into layers, each below what it needs; steps of one layer stand side by side. */
export function placeSteps(steps: readonly GraphStep[]): Layout {
  const layers: Layout[][] = [];
  const depths = depthsOf(steps);
  for (const step of steps) (layers[depths.get(step.name) ?? 0] ??= []).push(placeStep(step));
  return stack(layers.map((layer) => beside(layer ?? [])));
}

/** The longest way to each step from one that needs nothing. */
function depthsOf(steps: readonly GraphStep[]): ReadonlyMap<string, number> {
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
function placeStep({ id, lines, lists, name, undo }: GraphStep): Layout {
  const words = [name, ...lines];
  const own =
    lists.length === 0
      ? single({ id, kind: 'step', lines: words })
      : around({ id, lines: words }, beside(lists.map(placeList)));
  if (undo === null) return own;
  return beside([own, single({ id: undo.id, kind: 'undo', lines: undo.lines })]);
}

function placeList({ id, steps, title }: GraphList): Layout {
  return around({ id, lines: [title] }, placeSteps(steps));
}

function single(box: Pick<Box, 'id' | 'kind' | 'lines'>): Layout {
  const width = widthOf(box.lines);
  const height = box.lines.length * LINE + PADDING;
  return { boxes: [{ ...box, x: 0, y: 0, width, height }], width, height };
}

function around({ id, lines }: Pick<Box, 'id' | 'lines'>, inner: Layout): Layout {
  const head = lines.length * LINE + PADDING;
  const width = Math.max(widthOf(lines), inner.width + 2 * PADDING);
  const height = head + inner.height + PADDING;
  const box: Box = { id, kind: 'cluster', lines, x: 0, y: 0, width, height };
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
