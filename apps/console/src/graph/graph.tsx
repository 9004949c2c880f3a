import '@xyflow/react/dist/base.css';
import './graph.css';
import {
  Background,
  Controls,
  type Edge,
  type EdgeMarker,
  MarkerType,
  ReactFlow,
} from '@xyflow/react';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { WORDS } from '../words.js';
import { FoldBar } from './fold-bar.js';
import { holdersOf, shapeOf } from './folding.js';
import { type Arrow, type Direction, type Drawing, layout } from './graph-layout.js';
import type { Graph as GraphModel, GraphStep } from './graph-model.js';
import { flatten, type GraphNode, nodesOf } from './graph-nodes.js';
import { ScopeBox, StepBox } from './nodes.js';
import { useFolds } from './use-folds.js';
import { useView } from './use-view.js';
import { FIT, type Instance, ZOOM_MIN } from './view.js';

interface GraphProps {
  readonly graph: GraphModel;
  readonly picked: string | null;
  readonly onPick: (id: string) => void;
  /** Additional texts of nodes, by the names of steps. */
  readonly badges: ReadonlyMap<string, string>;
}

const KINDS = { step: StepBox, scope: ScopeBox };
/** Narrower than this, the graph runs from top to bottom. */
const NARROW = 640;
const HEIGHT = { min: 170, max: 560, margin: 56 } as const;

/** Draws steps and what follows what. Only other steps change its shape, not other states. */
export function Graph({ badges, graph: whole, onPick, picked }: GraphProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const direction: Direction = width < NARROW ? 'TB' : 'LR';
  const folds = useFolds(whole.steps, picked);
  const graph = { ...whole, steps: folds.steps };
  const shape = shapeOf(graph.steps, folds.open);
  const view = { direction, open: folds.open };
  const drawing = useMemo(() => layout(graph.steps, view), [shape, direction]);
  const holders = picked === null ? [] : [picked, ...holdersOf(graph.steps, picked).toReversed()];
  const { onFocus, onFold, onInit } = useView({ place, width, drawing, picked: holders });
  const nodes = nodesOf(drawing, { badges, graph, picked, onPick, direction, folds, onFold });
  const edges = edgesOf(drawing.arrows, graph);
  return (
    <>
      <FoldBar folds={folds} />
      <div
        ref={place}
        class={`graph ${heightClass(drawing, width)}`}
        role="group"
        aria-label={WORDS.task.graph}
        onFocusCapture={onFocus}
      >
        {width > 0 && <Flow nodes={nodes} edges={edges} onInit={onInit} />}
      </div>
    </>
  );
}

interface FlowProps {
  readonly nodes: GraphNode[];
  readonly edges: Edge[];
  readonly onInit: (flow: Instance) => void;
}

function Flow({ edges, nodes, onInit }: FlowProps): JSX.Element {
  return (
    <ReactFlow<GraphNode>
      nodes={nodes}
      edges={edges}
      nodeTypes={KINDS}
      onInit={onInit}
      fitViewOptions={FIT}
      minZoom={0.05}
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
      <Controls showInteractive={false} orientation="horizontal" />
    </ReactFlow>
  );
}

/** Classes and not styles, which the policy of the page would have to allow. */
function heightClass({ height, width }: Drawing, room: number): string {
  const zoom = Math.max(ZOOM_MIN, Math.min(1, room / (width * 1.16 || 1)));
  const wanted = Math.min(HEIGHT.max, Math.max(HEIGHT.min, height * zoom + HEIGHT.margin));
  return `graph-h${Math.ceil(wanted / 65) * 65}`;
}

function edgesOf(arrows: readonly Arrow[], { isBack, steps }: GraphModel): Edge[] {
  const present = new Map(flatten(steps).map((step) => [step.id, step]));
  return arrows.flatMap(({ from, to }): Edge[] => {
    const forward: Edge = {
      id: `${from}>${to}`,
      source: from,
      target: to,
      sourceHandle: 'out',
      targetHandle: 'in',
      focusable: false,
      className: hasRun(present.get(to)) ? 'edge-ran' : 'edge-ahead',
      markerEnd: arrowHead(hasRun(present.get(to)) ? 'var(--good)' : 'var(--line-strong)'),
    };
    const before = present.get(from);
    const isReturning = (before?.undo?.state ?? 'none') !== 'none' && hasRun(present.get(to));
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

function hasRun(step: GraphStep | undefined): boolean {
  return step !== undefined && !['', 'pending', 'skipped'].includes(step.state);
}

function useWidth(place: { readonly current: HTMLDivElement | null }): number {
  const [width, set] = useState(0);
  useEffect(() => {
    if (place.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) =>
      set(Math.round(entry?.contentRect.width ?? 0)),
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  return width;
}
