import type { Progress } from '../api/output-shapes.js';
import { countHeld, openedWith } from './folding.js';
import type { Drawing } from './graph-layout.js';
import type { Graph, GraphStep } from './graph-model.js';
import type { Fold, ScopeNode, StepNode } from './nodes.js';
import type { Folds } from './use-folds.js';

export type GraphNode = StepNode | ScopeNode;

/** The drawn graph, and the callbacks of its nodes. */
interface Drawn {
  readonly graph: Graph;
  readonly picked: string | null;
  readonly onPick: (id: string) => void;
  /** Additional texts of nodes, by the names of steps. */
  readonly badges: ReadonlyMap<string, string>;
  /** How far running attempts are, by the ids of runs. */
  readonly progress: ReadonlyMap<string, Progress>;
  readonly folds: Folds;
  /** Somebody opened or folded this. */
  readonly onFold: (id: string) => void;
}

/** The nodes of a drawing, with the steps as they are by now. */
export function nodesOf({ boxes }: Drawing, drawn: Drawn): GraphNode[] {
  const present = new Map(flatten(drawn.graph.steps).map((step) => [step.id, step]));
  return boxes.map((box): GraphNode => {
    const { content, depth, height, id, width, x, y } = box;
    const at = { id, depth, x, y, width, height };
    if (content.kind === 'step') {
      const data = stepData(present.get(id) ?? content.step, drawn);
      return { ...at, type: 'step', data, looks: looksOf({ at, data }) };
    }
    const holder = present.get(content.holder.id) ?? content.holder;
    const scope = holder.scopes[content.index] ?? content.scope;
    const isOne = scope.count === undefined;
    const fold = isOne ? foldOf(drawn, { id, with: [id], count: scope.steps.length }) : null;
    const data = { scope, holder: holder.name, fold };
    return { ...at, type: 'scope', data, looks: looksOf({ at, data }) };
  });
}

/** Steps in a step are drawn by themselves, but a run tells of the states of its steps. */
function looksOf(node: Pick<GraphNode, 'data'> & { readonly at: object }): string {
  return JSON.stringify(node, function (this: unknown, key, value: unknown) {
    if (key === 'steps') return (value as readonly unknown[]).length;
    if (key !== 'scopes') return value;
    const { run, scopes } = this as GraphStep;
    if (run === undefined) return scopes.length;
    return scopes.map(({ steps }) => steps.map(({ state, undo }) => [state, undo?.state]));
  });
}

function stepData(step: GraphStep, drawn: Drawn): StepNode['data'] {
  const { badges, onPick, picked, progress } = drawn;
  const { id, kind, name, scopes } = step;
  const fold = step.run ?? id;
  const opened = step.run === undefined ? openedWith(step) : [fold, `${fold} scope 0`];
  const part = { id: fold, with: opened, count: countHeld(step) };
  return {
    step,
    badge: kind === 'normal' ? (badges.get(name) ?? null) : null,
    progress: progress.get(id) ?? null,
    isPicked: picked === id,
    onPick,
    fold: scopes.length === 0 ? null : foldOf(drawn, part),
  };
}

interface Part {
  readonly id: string;
  /** The folds that open with it. */
  readonly with: readonly string[];
  readonly count: number;
}

function foldOf({ folds, onFold }: Drawn, part: Part): Fold {
  const { count, id } = part;
  const isOpen = folds.open.has(id);
  const toggle = (): void => {
    onFold(id);
    folds.set(isOpen ? [id] : part.with, !isOpen);
  };
  return { isOpen, count, toggle };
}

/** All steps, those in steps after the one that holds them. */
export function flatten(steps: readonly GraphStep[]): readonly GraphStep[] {
  return steps.flatMap((step) => [step, ...step.scopes.flatMap((scope) => flatten(scope.steps))]);
}
