import './graph.css';
import type { JSX } from 'preact';
import { memo } from 'preact/compat';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Progress } from '../api/output-shapes.js';
import { useParts } from '../ui/parts.js';
import { lookOf } from '../ui/states.js';
import { GRAPH } from '../words/graph.js';
import { arrowsOf, type DrawnArrow } from './arrows.js';
import { DrawingCanvas } from './canvas.js';
import { FoldBar } from './fold-bar.js';
import { holdersOf, shapeOf } from './folding.js';
import { type Direction, type Drawing, layout } from './graph-layout.js';
import type { MapMark } from './graph-map.js';
import type { Graph as GraphModel } from './graph-model.js';
import { type GraphNode, nodesOf } from './graph-nodes.js';
import { ScopeBox, StepBox } from './nodes.js';
import { useFolds } from './use-folds.js';
import { useView } from './use-view.js';
import { fits, viewOf, ZOOM_MIN } from './view.js';

/** The graph to draw, and what may be done with it. */
interface GraphProps {
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
/** Narrower than this, the graph runs from top to bottom. */
const NARROW = 640;
const HEIGHT = { min: 170, max: 560, margin: 56 } as const;
/** Fewer boxes are found without a map. */
const MAP_MIN = 10;

/** Draws steps and what follows what. Only other steps change its shape, not other states. */
export function Graph(props: GraphProps): JSX.Element {
  const { badges, isPicked = true, onPick, picked, progress = SILENT } = props;
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const direction: Direction = width < NARROW ? 'TB' : 'LR';
  const { drawing, folds, graph } = useDrawing(props, direction);
  const holders = picked === null ? [] : [picked, ...holdersOf(graph.steps, picked).toReversed()];
  const watch = useView({ place, width, drawing, shown: holders, isPicked });
  const { counted, onFocus, onFold, onInit, onMoved, onStill } = watch;
  // Nodes that look the same are not drawn again, and have this one.
  const latest = useRef(onPick);
  latest.current = onPick;
  const pick = useMemo(() => (id: string) => latest.current(id), []);
  const nodes = nodesOf(drawing, { badges, progress, graph, picked, onPick: pick, folds, onFold });
  const arrows = arrowsOf(drawing, graph, direction);
  const fitsWhole = fits(drawing, { width, height: HEIGHT.max });
  const parts = useParts(2);
  const isLarge = parts > 1 && drawing.boxes.length > MAP_MIN && !fitsWhole;
  const height = heightFor(drawing, width);
  // Where it is at first, so that it is not drawn in the corner and moved from there.
  const room = { width, height };
  const first = useMemo(() => viewOf({ drawing, wanted: holders }, room), [drawing, width]);
  return (
    <>
      <FoldBar folds={folds} counted={counted} expected={fitsWhole ? 0 : drawing.boxes.length} />
      <div ref={place} class={`graph graph-h${height}`} onFocusCapture={onFocus}>
        {width > 0 && parts > 0 && (
          <DrawingCanvas
            {...{ drawing, room, first, onInit, onMoved, onStill }}
            marks={isLarge ? marksOf(nodes) : null}>
            <Arrows arrows={arrows} />
            {nodes.map((node) => (
              <Node key={node.id} node={node} />
            ))}
          </DrawingCanvas>
        )}
      </div>
      <p class="faint legend only-touch">{GRAPH.fingers}</p>
    </>
  );
}

/** The drawing of a graph as it is folded, made again only where its shape differs. */
function useDrawing({ graph: whole, picked }: GraphProps, direction: Direction) {
  const folds = useFolds(whole.steps, picked);
  const { open, steps } = folds;
  const graph = useMemo(() => ({ ...whole, steps }), [whole, steps]);
  const shape = useMemo(() => shapeOf(steps, open), [graph, open]);
  const drawing = useMemo(() => layout(steps, { direction, open }), [shape, direction]);
  return { drawing, folds, graph };
}

/** The arrows between boxes of one depth: over what holds them, and under the boxes. */
function Arrows({ arrows }: { readonly arrows: readonly DrawnArrow[] }): JSX.Element {
  const depths = [...new Set(arrows.map(({ depth }) => depth))];
  return (
    <>
      {depths.map((depth) => (
        <svg key={depth} class="graph-arrows" style={{ zIndex: 2 * depth }} aria-hidden="true">
          {arrows.map((arrow) => arrow.depth === depth && <Arrow key={arrow.id} {...arrow} />)}
        </svg>
      ))}
    </>
  );
}

const Arrow = memo(function Arrow({ head, isMoving, line, look }: DrawnArrow): JSX.Element {
  return (
    <g class={`arrow-${look} ${isMoving ? 'is-moving' : ''}`}>
      <path class="arrow-line" d={line} />
      <path class="arrow-head" d={head} />
    </g>
  );
});

/** Drawn again only where it looks different. */
const Node = memo(function Node({ node }: NodeProps): JSX.Element {
  const { depth, height, id, width, x, y } = node;
  return (
    <div
      class="graph-node"
      data-id={id}
      style={{ left: x, top: y, width, height, zIndex: 2 * depth + 1 }}>
      {node.type === 'step' ? <StepBox data={node.data} /> : <ScopeBox data={node.data} />}
    </div>
  );
}, isSame);

interface NodeProps {
  readonly node: GraphNode;
}

function isSame({ node }: NodeProps, next: NodeProps): boolean {
  return node.looks === next.node.looks;
}

function marksOf(nodes: readonly GraphNode[]): readonly MapMark[] {
  return nodes.map((node) => {
    const { height, id, width, x, y } = node;
    return { id, x, y, width, height, look: mapClass(node) };
  });
}

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
