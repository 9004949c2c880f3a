import type { ComponentChildren, HTMLAttributes, JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { WORDS } from '../words.js';
import { GRAPH } from '../words/graph.js';
import type { Drawing } from './graph-layout.js';
import { GraphMap, type MapMark } from './graph-map.js';
import { type Canvas, type Point, type Size, type Viewport, wholeOf, zoomed } from './view.js';

interface CanvasProps {
  readonly drawing: Drawing;
  readonly room: Size;
  /** Where the drawing stands at first. */
  readonly first: Viewport;
  /** The marks of a map that helps to find parts of it; null: it needs none. */
  readonly marks: readonly MapMark[] | null;
  readonly onInit: (canvas: Canvas) => void;
  /** The reader moved the drawing. */
  readonly onMoved: () => void;
  /** A movement has ended. */
  readonly onStill: () => void;
  readonly children: ComponentChildren;
}

/** How much nearer or farther a button brings it. */
const STEP = 1.2;
/** A movement has ended after this, in milliseconds. */
const STILL_MS = 150;

/** A room in which a drawing is moved by a pointer, two fingers, buttons, and its map. */
export function DrawingCanvas(props: CanvasProps): JSX.Element {
  const { children, drawing, first, marks, onInit, onMoved, onStill, room } = props;
  const pane = useRef<HTMLDivElement>(null);
  const [viewport, set] = useState(first);
  const latest = useRef(viewport);
  const canvas = useMemo<Canvas>(() => {
    const show = (next: Viewport): void => {
      latest.current = next;
      set(next);
    };
    return { viewport: () => latest.current, show };
  }, []);
  useEffect(() => onInit(canvas), []);
  useEffect(() => {
    const timer = setTimeout(onStill, STILL_MS);
    return () => clearTimeout(timer);
  }, [viewport]);
  const move = (next: Viewport): void => {
    onMoved();
    canvas.show(next);
  };
  const gestures = useGestures(pane, canvas.viewport, move);
  const { x, y, zoom } = viewport;
  return (
    <div class="graph-canvas">
      <div
        ref={pane}
        class="graph-pane"
        // All its buttons are of the drawing, and none moves it.
        role="group"
        aria-label={WORDS.task.graph}
        style={{ backgroundPosition: `${x}px ${y}px` }}
        {...gestures}>
        <div
          class="graph-viewport"
          style={{ transform: `translate(${x}px, ${y}px) scale(${zoom})` }}>
          {children}
        </div>
      </div>
      <Controls {...{ drawing, room, viewport, move }} />
      {marks !== null && <GraphMap {...{ drawing, marks, room, viewport }} onMoved={move} />}
    </div>
  );
}

interface ControlsProps extends Pick<CanvasProps, 'drawing' | 'room'> {
  readonly viewport: Viewport;
  readonly move: (next: Viewport) => void;
}

function Controls({ drawing, move, room, viewport }: ControlsProps): JSX.Element {
  const middle = { x: room.width / 2, y: room.height / 2 };
  const buttons = [
    ['+', GRAPH.nearer, zoomed(viewport, STEP, middle)],
    ['−', GRAPH.farther, zoomed(viewport, 1 / STEP, middle)],
    ['⤢', GRAPH.whole, wholeOf(drawing, room)],
  ] as const;
  return (
    <div class="graph-controls">
      {buttons.map(([sign, label, next]) => (
        <button key={sign} type="button" aria-label={label} onClick={() => move(next)}>
          {sign}
        </button>
      ))}
    </div>
  );
}

/** A pointer that holds the drawing. */
interface Grip extends Point {
  readonly before: Viewport;
  /** Whether it has moved it. */
  isDragged: boolean;
}

/** Two fingers that hold the drawing: their middle, and how far they are from each other. */
interface Pinch extends Point {
  readonly distance: number;
  readonly before: Viewport;
}

/** How far a pointer goes before it moves the drawing and clicks on nothing, in pixels. */
const DRAG_MIN = 4;
/** How far a wheel turns until all is more than twice as large, in pixels. */
const WHEEL = 120;

/**
 * The ways to move a drawing by hand. One finger and a wheel by themselves scroll the page; two
 * fingers, and a wheel with Ctrl, as which touch pads tell theirs, move and zoom the drawing.
 */
function useGestures(
  pane: { readonly current: HTMLElement | null },
  viewport: () => Viewport,
  move: (next: Viewport) => void,
): HTMLAttributes<HTMLDivElement> {
  const grip = useRef<Grip | null>(null);
  const pinch = useRef<Pinch | null>(null);
  const within = (x: number, y: number): Point => {
    const { left = 0, top = 0 } = pane.current?.getBoundingClientRect() ?? {};
    return { x: x - left, y: y - top };
  };
  return {
    onPointerDown: ({ button, clientX: x, clientY: y, pointerType }) => {
      if (button !== 0 || pointerType === 'touch') return;
      grip.current = { x, y, before: viewport(), isDragged: false };
    },
    onPointerMove: ({ buttons, clientX, clientY, currentTarget, pointerId }) => {
      // It may have been let go elsewhere.
      if (buttons !== 1) grip.current = null;
      if (grip.current === null) return;
      const { before, isDragged, x, y } = grip.current;
      const [dx, dy] = [clientX - x, clientY - y];
      if (!isDragged && Math.hypot(dx, dy) < DRAG_MIN) return;
      // From here on it clicks on nothing, and may leave the room.
      if (!isDragged) currentTarget.setPointerCapture(pointerId);
      grip.current.isDragged = true;
      move({ ...before, x: before.x + dx, y: before.y + dy });
    },
    onTouchStart: (event) => void (pinch.current = pinchOf(event, viewport(), within)),
    onTouchMove: (event) => {
      const now = pinchOf(event, viewport(), within);
      if (now === null || pinch.current === null) return;
      if (event.cancelable) event.preventDefault();
      const { before, distance, x, y } = pinch.current;
      const moved = { ...before, x: before.x + now.x - x, y: before.y + now.y - y };
      move(zoomed(moved, now.distance / distance, now));
    },
    onWheel: (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const factor = 2 ** (-event.deltaY / WHEEL);
      move(zoomed(viewport(), factor, within(event.clientX, event.clientY)));
    },
  };
}

/** Null: not two fingers. */
function pinchOf(
  { touches: [one, other] }: TouchEvent,
  before: Viewport,
  within: (x: number, y: number) => Point,
): Pinch | null {
  if (one === undefined || other === undefined) return null;
  const [dx, dy] = [other.clientX - one.clientX, other.clientY - one.clientY];
  const middle = within(one.clientX + dx / 2, one.clientY + dy / 2);
  return { ...middle, distance: Math.hypot(dx, dy), before };
}
