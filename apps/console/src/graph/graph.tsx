import '@xyflow/react/dist/base.css';
import './graph.css';
import {
  Background,
  Controls,
  type Edge,
  type EdgeMarker,
  MarkerType,
  ReactFlow,
  type ReactFlowInstance,
} from '@xyflow/react';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { WORDS } from '../words.js';
import { type Arrow, type Direction, type Drawing, layout } from './graph-layout.js';
import type { Graph as GraphModel, GraphStep } from './graph-model.js';
import { ScopeBox, type ScopeNode, StepBox, type StepNode } from './nodes.js';

interface GraphProps {
  readonly graph: GraphModel;
  readonly picked: string | null;
  readonly onPick: (id: string) => void;
  /** Additional texts of nodes, by the names of steps. */
  readonly badges: ReadonlyMap<string, string>;
}

type GraphNode = StepNode | ScopeNode;

const KINDS = { step: StepBox, scope: ScopeBox };
/** Narrower than this, the graph runs from top to bottom. */
const NARROW = 640;
const HEIGHT = { min: 170, max: 560, margin: 56 } as const;

/** Draws steps and what follows what. Only other steps change its shape, not other states. */
export function Graph({ badges, graph, onPick, picked }: GraphProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const direction: Direction = width < NARROW ? 'TB' : 'LR';
  const shape = shapeOf(graph.steps);
  const drawing = useMemo(() => layout(graph.steps, direction), [shape, direction]);
  const nodes = nodesOf(drawing, { badges, graph, picked, onPick, direction });
  const edges = edgesOf(drawing.arrows, graph);
  const flow = useRef<ReactFlowInstance<GraphNode> | null>(null);
  useEffect(() => {
    const frame = requestAnimationFrame(() => void flow.current?.fitView(FIT));
    return () => cancelAnimationFrame(frame);
  }, [drawing, width]);
  return (
    <div
      ref={place}
      class={`graph ${heightClass(drawing, width)}`}
      role="group"
      aria-label={WORDS.task.graph}
    >
      {width > 0 && (
        <ReactFlow<GraphNode>
          nodes={nodes}
          edges={edges}
          nodeTypes={KINDS}
          onInit={(instance) => {
            flow.current = instance;
          }}
          fitView
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
      )}
    </div>
  );
}

const FIT = { padding: 0.08, maxZoom: 1 } as const;

/** Classes and not styles, which the policy of the page would have to allow. */
function heightClass({ height, width }: Drawing, room: number): string {
  const zoom = Math.min(1, room / (width * 1.16 || 1));
  const wanted = Math.min(HEIGHT.max, Math.max(HEIGHT.min, height * zoom + HEIGHT.margin));
  return `graph-h${Math.ceil(wanted / 65) * 65}`;
}

interface Drawn extends GraphProps {
  readonly direction: Direction;
}

function nodesOf({ boxes }: Drawing, drawn: Drawn): GraphNode[] {
  const present = new Map(flatten(drawn.graph.steps).map((step) => [step.id, step]));
  return boxes.map((box): GraphNode => {
    const { content, height, id, parent, width, x, y } = box;
    const at = {
      id,
      position: { x, y },
      width,
      height,
      ...(parent !== null && { parentId: parent }),
    };
    if (content.kind === 'scope') return { ...at, type: 'scope', data: { scope: content.scope } };
    const step = present.get(id) ?? content.step;
    const { badges, direction, onPick, picked } = drawn;
    const badge = step.kind === 'normal' ? (badges.get(step.name) ?? null) : null;
    const data = { step, badge, isPicked: picked === id, isAcross: direction === 'LR', onPick };
    return { ...at, type: 'step', data };
  });
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

function flatten(steps: readonly GraphStep[]): readonly GraphStep[] {
  return steps.flatMap((step) => [step, ...step.scopes.flatMap((scope) => flatten(scope.steps))]);
}

/** Equal for graphs that are laid out alike. */
function shapeOf(steps: readonly GraphStep[]): string {
  return JSON.stringify(
    steps.map(({ id, needs, scopes }) => [
      id,
      needs,
      scopes.map(({ isBack, steps, title }) => [title, isBack, shapeOf(steps)]),
    ]),
  );
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
