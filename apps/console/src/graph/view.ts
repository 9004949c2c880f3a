import type { Drawing } from './graph-layout.js';

/** Where the corner of a drawing stands in its room, in pixels, and how large it is drawn. */
export interface Viewport extends Point {
  readonly zoom: number;
}

/** A place in a room, in pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A drawing that can be moved. */
export interface Canvas {
  readonly viewport: () => Viewport;
  readonly show: (viewport: Viewport) => void;
}

/** Smaller than this, texts cannot be read, and buttons not be hit. */
export const ZOOM_MIN = 0.8;
const ZOOM_MAX = 1.5;
const MARGIN = 24;
/** In the last corner of a drawing that is larger than its room: the map covers no box there. */
const MAP = { width: 184, height: 114 } as const;

interface Shown {
  readonly drawing: Drawing;
  /** Ids of the steps and scopes that the reader looks for, the likeliest first. */
  readonly wanted: readonly string[];
}

/** Shows the whole drawing, or, where that would be too small, the part the reader looks for. */
export function showDrawing(canvas: Canvas, place: HTMLElement, shown: Shown): void {
  canvas.show(viewOf(shown, { width: place.clientWidth, height: place.clientHeight }));
}

/** Where a drawing stands in this room, at first and until the reader moves it. */
export function viewOf({ drawing, wanted }: Shown, room: Size): Viewport {
  return fits(drawing, room) ? wholeOf(drawing, room) : viewportOf(drawing, wanted, room);
}

/** Where the whole of a drawing is in its room, however small that makes it. */
export function wholeOf(drawing: Size, room: Size): Viewport {
  const zoom = Math.min(1, zoomFor(drawing, room));
  const [x, y] = [room.width - drawing.width * zoom, room.height - drawing.height * zoom];
  return { x: x / 2, y: y / 2, zoom };
}

/** Nearer or farther by a factor, with the point `at` of the room where it is. */
export function zoomed({ x, y, zoom }: Viewport, factor: number, at: Point): Viewport {
  const next = Math.min(ZOOM_MAX, Math.max(Math.min(ZOOM_MIN, zoom), zoom * factor));
  const share = next / zoom;
  return { x: at.x - (at.x - x) * share, y: at.y - (at.y - y) * share, zoom: next };
}

/** Whether the whole of it can be read in this room. */
export function fits(drawing: Size, room: Size): boolean {
  return zoomFor(drawing, room) >= ZOOM_MIN;
}

export interface Size {
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
  const [across, down] = [
    { space: room.width, map: MAP.width },
    { space: room.height, map: MAP.height },
  ];
  return {
    x: edge([box.x * zoom, box.width * zoom], width * zoom, across),
    y: edge([box.y * zoom, box.height * zoom], height * zoom, down),
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

/** How many of the boxes of steps that hold no drawn ones are in view, and how many there are. */
export function countSeen({ boxes }: Drawing, canvas: Canvas, place: HTMLElement): Counted {
  const holders = new Set(boxes.map(({ parent }) => parent));
  const leaves = boxes.filter(({ content, id }) => content.kind === 'step' && !holders.has(id));
  const { x, y, zoom } = canvas.viewport();
  const seen = leaves.filter((box) => {
    const [left, top] = [box.x * zoom + x, box.y * zoom + y];
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
export function holdInView(canvas: Canvas, place: HTMLElement, element: Element): void {
  // The browser scrolls to what has the focus, which the drawing knows nothing of.
  place.querySelector('.graph-pane')?.scrollTo(0, 0);
  const area = place.getBoundingClientRect();
  const box = element.getBoundingClientRect();
  const isSeen =
    box.left >= area.left &&
    box.right <= area.right &&
    box.top >= area.top &&
    box.bottom <= area.bottom;
  if (isSeen || element.closest('.graph-node') === null) return;
  const { x, y, zoom } = canvas.viewport();
  canvas.show({
    x: x + middle(area.left, area.right) - middle(box.left, box.right),
    y: y + middle(area.top, area.bottom) - middle(box.top, box.bottom),
    zoom,
  });
}

/** The button of a step, if it is drawn. */
export function buttonOf(place: HTMLElement, id: string): Element | null {
  return place.querySelector(`.graph-node[data-id="${CSS.escape(id)}"] .node-button`);
}

function middle(one: number, other: number): number {
  return (one + other) / 2;
}
