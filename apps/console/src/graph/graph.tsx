import '@xyflow/react/dist/base.css';
import './graph.css';
import {
  Background,
  Controls,
  type Edge,
  type EdgeMarker,
  MarkerType,
  MiniMap,
  ReactFlow,
  type Viewport,
} from '@xyflow/react';
import type { JSX } from 'preact';
import { memo } from 'preact/compat';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isReached } from '#kinds';
import type { Progress } from '../api/output-shapes.js';
import { useParts } from '../ui/parts.js';
import { lookOf } from '../ui/states.js';
import { WORDS } from '../words.js';
import { GRAPH } from '../words/graph.js';
import { FoldBar } from './fold-bar.js';
import { holdersOf, shapeOf } from './folding.js';
import { type Arrow, type Direction, type Drawing, layout } from './graph-layout.js';
import type { Graph as GraphModel } from './graph-model.js';
import { flatten, type GraphNode, nodesOf } from './graph-nodes.js';
import { useKept } from './kept-nodes.js';
import { ScopeBox, StepBox } from './nodes.js';
import { useFolds } from './use-folds.js';
import { useView } from './use-view.js';
import { FIT, fits, type Instance, viewOf, ZOOM_MIN } from './view.js';

/** The graph to draw, and what may be done with it. */
export interface GraphProps {
  readonly graph: GraphModel;
  /** The step that is shown beside the graph. */
  readonly picked: string | null;
  /** Whether it was a person who picked it. Default: true. */
  readonly isPicked?: boolean;
  readonly onPick: (id: string) => void;
  /** Additional texts of nodes, by the names of steps. */
  readonly badges: ReadonlyMap<string, string>;
  /** How far running attempts are, by the ids of runs. Default: nobody has said so. */
  readonly progress?: ReadonlyMap<string, Progress>;
}

const SILENT: ReadonlyMap<string, Progress> = new Map();
const KINDS = { step: StepBox, scope: ScopeBox };
/** Narrower than this, the graph runs from top to bottom. */
const NARROW = 640;
const HEIGHT = { min: 170, max: 560, margin: 56 } as const;
/** Fewer boxes are found without a map. */
const MAP_MIN = 10;

/** Draws steps and what follows what. Only other steps change its shape, not other states. */
export function Graph(props: GraphProps): JSX.Element {
  const { badges, graph: whole, isPicked = true, onPick, picked, progress = SILENT } = props;
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const direction: Direction = width < NARROW ? 'TB' : 'LR';
  const folds = useFolds(whole.steps, picked);
  const graph = useMemo(() => ({ ...whole, steps: folds.steps }), [whole, folds.steps]);
  const shape = useMemo(() => shapeOf(graph.steps, folds.open), [graph, folds.open]);
  const view = { direction, open: folds.open };
  const drawing = useMemo(() => layout(graph.steps, view), [shape, direction]);
  const holders = picked === null ? [] : [picked, ...holdersOf(graph.steps, picked).toReversed()];
  const watch = useView({ place, width, drawing, shown: holders, isPicked });
  const { counted, onFocus, onFold } = watch;
  const pick = useLatest(onPick);
  const nodes = useKept(
    nodesOf(drawing, { badges, progress, graph, picked, onPick: pick, direction, folds, onFold }),
  );
  const edges = useKept(edgesOf(drawing.arrows, graph));
  const onMoved = useLatest(watch.onMoved);
  const onStill = useLatest(watch.onStill);
  useOneFinger(place);
  const fitsWhole = fits(drawing, { width, height: HEIGHT.max });
  const parts = useParts(2);
  const isLarge = parts > 1 && drawing.boxes.length > MAP_MIN && !fitsWhole;
  const height = heightFor(drawing, width);
  // Where it is at first, so that it is not drawn in the corner and moved from there.
  const first = useMemo(
    () => viewOf({ drawing, wanted: holders }, { width, height }),
    [drawing, width],
  );
  return (
    <>
      <FoldBar folds={folds} counted={counted} expected={fitsWhole ? 0 : drawing.boxes.length} />
      <div
        ref={place}
        class={`graph graph-h${height}`}
        role="group"
        aria-label={WORDS.task.graph}
        onFocusCapture={onFocus}
      >
        {width > 0 && parts > 0 && (
          <Flow {...{ nodes, edges, onMoved, onStill, isLarge, first }} onInit={watch.onInit} />
        )}
      </div>
      <p class="faint legend only-touch">{GRAPH.fingers}</p>
    </>
  );
}

interface FlowProps {
  readonly nodes: GraphNode[];
  readonly edges: Edge[];
  /** Whether a map helps to find parts of it. */
  readonly isLarge: boolean;
  readonly first: Viewport;
  readonly onInit: (flow: Instance) => void;
  readonly onMoved: () => void;
  readonly onStill: () => void;
}

/** The drawing, drawn again only where something of it differs. */
const Flow = memo(function Flow(props: FlowProps): JSX.Element {
  const { edges, first, isLarge, nodes, onInit, onMoved, onStill } = props;
  return (
    <ReactFlow<GraphNode>
      nodes={nodes}
      edges={edges}
      nodeTypes={KINDS}
      onInit={onInit}
      defaultViewport={first}
      // A movement by the program has no event.
      onMoveStart={(event) => event && onMoved()}
      onMoveEnd={onStill}
      fitViewOptions={FIT}
      minZoom={ZOOM_MIN}
      maxZoom={1.5}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      edgesFocusable={false}
      elementsSelectable={false}
      zoomOnScroll={false}
      preventScrolling={false}
      disableKeyboardA11y
    >
      <Background gap={22} size={1} />
      <Controls
        showInteractive={false}
        orientation="horizontal"
        onZoomIn={onMoved}
        onZoomOut={onMoved}
      />
      {isLarge && (
        <div class="graph-map" onPointerDown={onMoved}>
          <MiniMap<GraphNode> pannable ariaLabel={GRAPH.map} nodeClassName={mapClass} />
        </div>
      )}
    </ReactFlow>
  );
});

function mapClass({ data, type }: GraphNode): string {
  if (type !== 'step') return 'map-scope';
  const { state, undo } = data.step;
  const undoing = undo?.state ?? 'none';
  if (undoing === '' || undoing === 'none') return `tone-${lookOf(state).tone}`;
  return `tone-${undoing === 'succeeded' ? 'back' : lookOf(undoing).tone}`;
}

/** In pixels. Few heights have a class: the policy of the page would have to allow styles. */
function heightFor({ height, width }: Drawing, room: number): number {
  const zoom = Math.max(ZOOM_MIN, Math.min(1, room / (width * 1.16 || 1)));
  const wanted = Math.min(HEIGHT.max, Math.max(HEIGHT.min, height * zoom + HEIGHT.margin));
  return Math.ceil(wanted / 65) * 65;
}

function edgesOf(arrows: readonly Arrow[], { isBack, steps }: GraphModel): Edge[] {
  const present = new Map(flatten(steps).map((step) => [step.id, step]));
  return arrows.flatMap(({ from, to }): Edge[] => {
    // The layout is older than the states.
    const isUsed = isReached(present.get(to)?.state ?? '');
    const forward: Edge = {
      id: `${from}>${to}`,
      source: from,
      target: to,
      sourceHandle: 'out',
      targetHandle: 'in',
      focusable: false,
      className: isUsed ? 'edge-ran' : 'edge-ahead',
      markerEnd: arrowHead(isUsed ? 'var(--good)' : 'var(--line-strong)'),
    };
    const before = present.get(from);
    const isReturning = (before?.undo?.state ?? 'none') !== 'none' && isUsed;
    if (!isBack || !isReturning || before?.undo?.state === '') return [forward];
    return [
      forward,
      {
        ...forward,
        id: `${to}>${from} back`,
        source: to,
        target: from,
        sourceHandle: 'back-out',
        targetHandle: 'back-in',
        animated: before?.undo?.state !== 'succeeded' && before?.undo?.state !== 'skipped',
        className: 'edge-back',
        markerEnd: arrowHead('var(--back)'),
      },
    ];
  });
}

function arrowHead(color: string): EdgeMarker {
  return { type: MarkerType.ArrowClosed, color };
}

function useWidth(place: { readonly current: HTMLDivElement | null }): number {
  const [width, set] = useState(0);
  // Before the page is drawn, so that nothing moves on it.
  useLayoutEffect(() => {
    if (place.current === null) return undefined;
    set(Math.round(place.current.getBoundingClientRect().width));
    const observer = new ResizeObserver(([entry]) =>
      set(Math.round(entry?.contentRect.width ?? 0)),
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** One finger scrolls the page; the drawing hears of two. */
function useOneFinger(place: { readonly current: HTMLDivElement | null }): void {
  useEffect(() => {
    const { current } = place;
    const keepOut = (event: TouchEvent): void => {
      if (event.touches.length === 1) event.stopPropagation();
    };
    const order = { capture: true, passive: true };
    current?.addEventListener('touchstart', keepOut, order);
    return () => current?.removeEventListener('touchstart', keepOut, order);
  }, []);
}

/** A function that stays the same, and calls the newest one. */
function useLatest<A extends unknown[]>(call: (...args: A) => void): (...args: A) => void {
  const latest = useRef(call);
  latest.current = call;
  return useMemo(
    () =>
      (...args: A) =>
        latest.current(...args),
    [],
  );
}
