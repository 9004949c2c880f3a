import type { ReactFlowInstance, Viewport } from '@xyflow/react';
import type { Box, Drawing } from './graph-layout.js';
import type { GraphNode } from './graph-nodes.js';

export type Instance = ReactFlowInstance<GraphNode>;

/** How the button shows the whole drawing, however small that makes it. */
export const FIT = { padding: 0.08, maxZoom: 1 } as const;
/** Smaller than this, texts cannot be read, and buttons not be hit. */
export const ZOOM_MIN = 0.8;
const MARGIN = 24;
/** In the last corner of a drawing that is larger than its room: the map covers no box there. */
const MAP = { width: 184, height: 114 } as const;

interface Shown {
  readonly drawing: Drawing;
  /** Ids of the steps and scopes that the reader looks for, the likeliest first. */
  readonly wanted: readonly string[];
}

/** Shows the whole drawing, or, where that would be too small, the part the reader looks for. */
export function showDrawing(flow: Instance, place: HTMLElement, shown: Shown): void {
  const room = { width: place.clientWidth, height: place.clientHeight };
  void flow.setViewport(viewOf(shown, room));
}

/** Where a drawing stands in this room, at first and until the reader moves it. */
export function viewOf({ drawing, wanted }: Shown, room: Size): Viewport {
  if (!fits(drawing, room)) return viewportOf(drawing, wanted, room);
  const zoom = Math.min(1, zoomFor(drawing, room));
  const [x, y] = [room.width - drawing.width * zoom, room.height - drawing.height * zoom];
  return { x: x / 2, y: y / 2, zoom };
}

/** Whether the whole of it can be read in this room. */
export function fits(drawing: Size, room: Size): boolean {
  return zoomFor(drawing, room) >= ZOOM_MIN;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function zoomFor({ height, width }: Size, room: Size): number {
  return Math.min((room.width - 2 * MARGIN) / width, (room.height - 2 * MARGIN) / height);
}

/**
 * Centred, or, if it is larger than the room, from its beginning; no room beside the drawing but
 * for the map.
 */
function viewportOf(
  { boxes, height, width }: Drawing,
  wanted: readonly string[],
  room: Size,
): Viewport {
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const box = wanted.map((id) => byId.get(id)).find((one) => one !== undefined) ?? boxes[0];
  if (box === undefined) return { x: 0, y: 0, zoom: 1 };
  const zoom = Math.min(1, Math.max(ZOOM_MIN, zoomFor(box, room)));
  const corner = cornerOf(box, byId);
  return {
    x: edge([corner.x * zoom, box.width * zoom], width * zoom, {
      space: room.width,
      map: MAP.width,
    }),
    y: edge([corner.y * zoom, box.height * zoom], height * zoom, {
      space: room.height,
      map: MAP.height,
    }),
    zoom,
  };
}

/** Where a drawing begins if a part of it is to be seen. All are lengths on the screen. */
function edge(
  [start, length]: readonly [start: number, length: number],
  whole: number,
  { map, space }: { readonly space: number; readonly map: number },
): number {
  const last = space - MARGIN - whole;
  if (last > MARGIN) return (space - whole) / 2;
  const centred = Math.max(MARGIN, (space - length) / 2) - start;
  return Math.min(MARGIN, Math.max(last - map, centred));
}

/** Where a box stands in the whole drawing. */
function cornerOf(
  box: Box,
  byId: ReadonlyMap<string, Box>,
): { readonly x: number; readonly y: number } {
  const parent = box.parent === null ? undefined : byId.get(box.parent);
  if (parent === undefined) return box;
  const corner = cornerOf(parent, byId);
  return { x: corner.x + box.x, y: corner.y + box.y };
}

/** How many of the boxes of steps that hold no drawn ones are in view, and how many there are. */
export function countSeen({ boxes }: Drawing, flow: Instance, place: HTMLElement): Counted {
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const holders = new Set(boxes.map(({ parent }) => parent));
  const leaves = boxes.filter(({ content, id }) => content.kind === 'step' && !holders.has(id));
  const { x, y, zoom } = flow.getViewport();
  const seen = leaves.filter((box) => {
    const corner = cornerOf(box, byId);
    const [left, top] = [corner.x * zoom + x, corner.y * zoom + y];
    const isBeside = left < place.clientWidth && left + box.width * zoom > 0;
    return isBeside && top < place.clientHeight && top + box.height * zoom > 0;
  });
  return { shown: seen.length, total: leaves.length };
}

/** Boxes in view, among all. */
export interface Counted {
  readonly shown: number;
  readonly total: number;
}

/** Moves the drawing so far that an element of it can be seen. */
export function holdInView(flow: Instance, place: HTMLElement, element: Element): void {
  // The browser scrolls to what has the focus, which the drawing knows nothing of.
  for (const inner of place.querySelectorAll('.react-flow, .react-flow__renderer')) {
    inner.scrollTo(0, 0);
  }
  const area = place.getBoundingClientRect();
  const box = element.getBoundingClientRect();
  const isSeen =
    box.left >= area.left &&
    box.right <= area.right &&
    box.top >= area.top &&
    box.bottom <= area.bottom;
  if (isSeen || element.closest('.react-flow__node') === null) return;
  const { x, y, zoom } = flow.getViewport();
  void flow.setViewport({
    x: x + middle(area.left, area.right) - middle(box.left, box.right),
    y: y + middle(area.top, area.bottom) - middle(box.top, box.bottom),
    zoom,
  });
}

/** The button of a step, if it is drawn. */
export function buttonOf(place: HTMLElement, id: string): Element | null {
  return place.querySelector(`.react-flow__node[data-id="${CSS.escape(id)}"] .node-button`);
}

function middle(one: number, other: number): number {
  return (one + other) / 2;
}
