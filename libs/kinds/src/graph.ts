import { listsIn } from './lists.js';
import type { Fields } from './objects.js';
import { kindOf, recordOf, stepNames, textOf } from './step-names.js';

/** A step of a graph, with the steps that it holds. */
export interface GraphStep {
  /** Unique in the graph: of a task the id of the run, of a flow the place of the step. */
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  /** Empty in a flow, of which nothing has run. */
  readonly state: string;
  /** Null: the step is no command. */
  readonly action: GraphAction | null;
  /** Null: the step has no undo. */
  readonly undo: GraphUndo | null;
  /** Names of steps in the same list; without `needs` in a flow, the step before. */
  readonly needs: readonly string[];
  /** The lists of a flow; of a task those that it has entered. */
  readonly scopes: readonly GraphScope[];
  readonly isPivot: boolean;
  /** Of a step of a flow: where it stands, from the list of its steps on. */
  readonly path?: StepPath;
  /** Of a step of a task. */
  readonly run?: GraphRun;
}

/** How the present run of a step fares. Times in seconds since 1970. */
interface GraphRun {
  readonly generation: number;
  readonly attempts: number;
  readonly timeStart: number | null;
  readonly timeEnd: number | null;
  /** Counts of its child tasks; null: it has none. */
  readonly children: Children | null;
}

interface GraphAction {
  readonly module: string;
  readonly command: string;
}

/** The undo of a step. */
interface GraphUndo {
  /** Empty in a flow; `none`: there is nothing to undo so far. */
  readonly state: string;
  /** Null: the steps or child tasks of the step are undone. */
  readonly action: GraphAction | null;
  /** The part of the step that is undone, such as a try; absent: all of it. */
  readonly of?: string;
}

/** A list of steps in a step. */
export interface GraphScope {
  readonly kind: string;
  readonly name: string;
  readonly title: string;
  readonly way: 'forward' | 'back';
  /** Whether it went back, and nothing in it is left to undo. */
  readonly isUndone: boolean;
  readonly steps: readonly GraphStep[];
}

/** From one step to another one. */
interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Whether the task went that way. */
  readonly used: boolean;
}

/** Names of members and places in lists. */
export type StepPath = readonly (string | number)[];

/** A step of a task as HTTP shows it. */
interface TaskStep {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly needs: readonly string[];
  readonly generation: number;
  readonly state: string;
  readonly attempts: number;
  readonly timeStart: number | null;
  readonly timeEnd: number | null;
  readonly pivot?: boolean;
  readonly normal?: GraphAction;
  readonly rollback?: (GraphAction & { readonly state: string }) | null;
  readonly scopes?: readonly TaskScope[];
  readonly children?: Children;
}

type TaskScope = Pick<GraphScope, 'kind' | 'name' | 'way'> & {
  readonly steps: readonly TaskStep[];
};

/** How many tasks do the work of a step, and how they stand. */
export interface Children {
  readonly total: number;
  readonly started: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly active: number;
  /** Back: they are undone, and those that are count as failed. */
  readonly way: 'forward' | 'back';
}

/** The steps of a task that were made so far, with those of the scopes that it entered. */
export function taskGraph(steps: readonly TaskStep[]): readonly GraphStep[] {
  return steps.map(taskStep);
}

function taskStep(step: TaskStep): GraphStep {
  const { attempts, children = null, generation, id, kind, name, needs } = step;
  const { normal, pivot, rollback, state, timeEnd, timeStart } = step;
  const scopes = (step.scopes ?? []).map(taskScope);
  const own = rollback ? { state: rollback.state, action: actionOf(rollback) } : null;
  return {
    ...{ id, name, kind, state, needs, scopes },
    action: actionOf(normal),
    undo: own ?? undoOfChildren(children) ?? undoOfTry(scopes),
    isPivot: pivot === true,
    run: { generation, attempts, timeStart, timeEnd, children },
  };
}

function taskScope({ kind, name, steps: held, way }: TaskScope): GraphScope {
  const steps = taskGraph(held);
  const title = name === '' || name === kind ? kind : `${kind} ${name}`;
  return { kind, name, title, way, isUndone: way === 'back' && isUndone(steps), steps };
}

const ACTIVE: ReadonlySet<string> = new Set(['queued', 'running', 'waiting']);
const UNDONE: ReadonlySet<string> = new Set(['none', 'succeeded', 'skipped']);

/** Whether nothing of steps that go back is left to undo. */
function isUndone(steps: readonly GraphStep[]): boolean {
  return steps.every(({ scopes, state, undo }) => {
    const isOver = !ACTIVE.has(state) && UNDONE.has(undo?.state ?? 'none');
    return isOver && scopes.every((scope) => isUndone(scope.steps));
  });
}

/** How the child tasks of a step are undone; null: they are not. */
function undoOfChildren(children: Children | null): GraphUndo | null {
  if (children === null || children.way === 'forward' || children.started === 0) return null;
  const isOver = children.active === 0 && children.succeeded === 0;
  return { state: isOver ? 'succeeded' : 'running', action: null };
}

/** How the last try of a group that went back is undone; null: none has anything to undo. */
function undoOfTry(scopes: readonly GraphScope[]): GraphUndo | null {
  const last = scopes.findLast(({ kind, way }) => kind === 'try' && way === 'back');
  if (last === undefined) return null;
  const states = new Set(undoStatesIn(last.steps));
  states.delete('none');
  if (states.size === 0) return null;
  const isOver = [...states].every((state) => UNDONE.has(state));
  const state = states.has('failed') ? 'failed' : isOver ? 'succeeded' : 'running';
  return { state, action: null, of: last.title };
}

function undoStatesIn(steps: readonly GraphStep[]): readonly string[] {
  return steps.flatMap(({ scopes, undo }) => {
    const inner = scopes.flatMap((scope) => undoStatesIn(scope.steps));
    return [undo?.state ?? 'none', ...inner];
  });
}

/**
 * The steps of a flow, whatever its shape: entries that are no steps, as in a text that is typed,
 * are left out.
 */
export function flowGraph(written: unknown): readonly GraphStep[] {
  return flowSteps(written, []);
}

/** The id of a step of a flow. */
export function nodeId(path: StepPath): string {
  return path.map((part) => encodeURIComponent(part)).join('/');
}

function flowSteps(written: unknown, list: StepPath): readonly GraphStep[] {
  const entries = Array.isArray(written) ? written.map(recordOf) : [];
  const named = stepNames(entries);
  const listed = entries.flatMap((step, place) => {
    return Object.keys(step).length === 0 ? [] : [{ step, place, name: named[place] ?? '' }];
  });
  const names = listed.map(({ name }) => name);
  const known = new Set(names);
  const isChain = !entries.some(({ needs }) => Array.isArray(needs));
  return listed.map(({ name, place, step }, n) => {
    const { needs } = step;
    const before = isChain ? names.slice(Math.max(0, n - 1), n) : [];
    const isOther = (need: unknown): need is string => need !== name && known.has(String(need));
    const own = Array.isArray(needs) ? needs.filter(isOther) : before;
    return flowStep(step, { name, needs: own, path: [...list, place] });
  });
}

function flowStep(
  step: Fields,
  placed: Pick<GraphStep, 'name' | 'needs'> & { readonly path: StepPath },
): GraphStep {
  const undo = actionOf(step['rollback']);
  return {
    ...placed,
    id: nodeId(placed.path),
    kind: kindOf(step),
    state: '',
    action: actionOf(step['normal']),
    undo: undo && { state: '', action: undo },
    scopes: heldScopes(step, placed.path),
    isPivot: step['pivot'] === true,
  };
}

/** The lists of a step as they are written. */
function heldScopes(step: Fields, path: StepPath): readonly GraphScope[] {
  return listsIn(step).flatMap(({ declared, name, path: at, steps: written, title }) => {
    const steps = flowSteps(written, [...path, ...at]);
    const scope = { kind: declared.scope, name, title, way: 'forward', isUndone: false } as const;
    return steps.length === 0 ? [] : [{ ...scope, steps }];
  });
}

function actionOf(value: unknown): GraphAction | null {
  const { command, module } = recordOf(value);
  return typeof command === 'string' ? { module: textOf(module), command } : null;
}

/** The edges between steps of one list, forward. */
export function edgesIn(
  steps: readonly Pick<GraphStep, 'id' | 'name' | 'needs' | 'state'>[],
): readonly GraphEdge[] {
  const ids = new Map(steps.map(({ id, name }) => [name, id]));
  return steps.flatMap(({ id, needs, state }) =>
    needs.flatMap((need) => {
      const from = ids.get(need);
      return from === undefined ? [] : [{ from, to: id, used: isReached(state) }];
    }),
  );
}

/** Whether a task that has a step in this state has gone the way to it. */
export function isReached(state: string): boolean {
  return !['', 'pending', 'skipped'].includes(state);
}

/** A step of a task among all others, without what it was given and gave. */
interface GraphNode extends Omit<GraphRun, 'children'> {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly state: string;
  /** The scope that it stands in; null: it is one of the task's own. */
  readonly in: (Pick<GraphScope, 'kind' | 'name' | 'title' | 'way'> & { step: string }) | null;
  readonly action: GraphAction | null;
  readonly undo: GraphUndo | null;
  readonly pivot: boolean;
  readonly children: Children | null;
}

/** Nodes and edges of a graph. */
interface FlatGraph {
  /** In the order of the steps; those of a step follow it. */
  readonly nodes: readonly GraphNode[];
  /** Between steps of one list, and from a step to those that a scope in it begins with. */
  readonly edges: readonly GraphEdge[];
}

/** The graph of a task as two lists. */
export function flatGraph(steps: readonly GraphStep[]): FlatGraph {
  const nodes: GraphNode[] = [];
  const edges: GraphEdge[] = [];
  const add = (list: readonly GraphStep[], around: GraphNode['in']): void => {
    for (const edge of edgesIn(list)) edges.push(edge);
    for (const step of list) {
      nodes.push(nodeOf(step, around));
      if (around !== null && step.needs.length === 0) {
        edges.push({ from: around.step, to: step.id, used: isReached(step.state) });
      }
      for (const { kind, name, steps: inner, title, way } of step.scopes) {
        add(inner, { step: step.id, kind, name, title, way });
      }
    }
  };
  add(steps, null);
  return { nodes, edges };
}

const NO_RUN: GraphRun = {
  generation: 1,
  attempts: 0,
  timeStart: null,
  timeEnd: null,
  children: null,
};

function nodeOf(step: GraphStep, around: GraphNode['in']): GraphNode {
  const { action, id, isPivot, kind, name, run = NO_RUN, state, undo } = step;
  return { id, name, kind, state, in: around, action, undo, pivot: isPivot, ...run };
}
