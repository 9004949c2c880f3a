import { edgesIn, type GraphScope, type GraphStep } from '#kinds';

/** A step as it is drawn: a node, or a cluster where it holds steps. */
export interface DrawnStep {
  /** Unique in the drawing, and a word in every language of drawings. */
  readonly id: string;
  readonly name: string;
  /** Its action, and its state where it belongs to a task. */
  readonly lines: readonly string[];
  readonly state: string;
  readonly tone: Tone;
  /** Names of steps in the same list. */
  readonly needs: readonly string[];
  /** The rollback that undoes it; null: none. */
  readonly undo: Pick<DrawnStep, 'id' | 'lines' | 'tone'> | null;
  readonly lists: readonly DrawnList[];
}

/** A list of steps that a step holds. */
export interface DrawnList {
  readonly id: string;
  readonly title: string;
  readonly steps: readonly DrawnStep[];
}

/** From one node or cluster to another one: forward, or on the way back. */
export interface DrawnEdge {
  readonly from: string;
  readonly to: string;
  /** `ahead`: forward, and the task has not gone there. */
  readonly kind: 'forward' | 'ahead' | 'back';
}

/** How a state looks; `plain`: it has none, as in a flow. */
export type Tone =
  | 'plain'
  | 'good'
  | 'bad'
  | 'stopped'
  | 'running'
  | 'queued'
  | 'waiting'
  | 'ahead'
  | 'undone';

/** The words and colours of the legend. */
export const LEGEND: Readonly<Record<Exclude<Tone, 'plain'>, Readonly<Record<string, string>>>> = {
  good: { word: 'succeeded', fill: '#e0f4e5', line: '#2f855a' },
  bad: { word: 'failed', fill: '#fde2e2', line: '#c53030' },
  stopped: { word: 'terminated', fill: '#e2e8f0', line: '#4a5568' },
  running: { word: 'running', fill: '#dfeefb', line: '#2b6cb0' },
  queued: { word: 'queued', fill: '#fffbcc', line: '#8d7b00' },
  waiting: { word: 'waiting', fill: '#ece6f7', line: '#6b46c1' },
  ahead: { word: 'not run', fill: '#ffffff', line: '#a0aec0' },
  undone: { word: 'undone', fill: '#fdebc8', line: '#b7791f' },
};

const TONES: Readonly<Record<string, Tone>> = {
  '': 'plain',
  succeeded: 'good',
  failed: 'bad',
  timed_out: 'bad',
  terminated: 'stopped',
  queued: 'queued',
  running: 'running',
  waiting: 'waiting',
};

function toneOf(state: string): Tone {
  return TONES[state] ?? 'ahead';
}

/** The steps of a graph for drawing. */
export function drawnSteps(steps: readonly GraphStep[]): readonly DrawnStep[] {
  let count = 0;
  const newId = (): string => `n${(count += 1)}`;
  const listOf = ({ steps: inner, title }: GraphScope): DrawnList => {
    return { id: newId(), title, steps: inner.map(stepOf) };
  };
  const stepOf = (step: GraphStep): DrawnStep => {
    const id = newId();
    const { action, isPivot, kind, name, needs, scopes, state } = step;
    const pivot = isPivot ? ['point of no return'] : [];
    const undo = undoOf(step);
    return {
      ...{ id, name, needs, state },
      lines: [textOf(action) ?? kind, ...pivot, ...(state === '' ? [] : [state])],
      tone: toneOf(state),
      undo: undo && { id: newId(), ...undo },
      lists: scopes.map(listOf),
    };
  };
  return steps.map(stepOf);
}

/** The command that undoes a step; null: it has none of its own. */
function undoOf({ undo }: GraphStep): Pick<DrawnStep, 'lines' | 'tone'> | null {
  const command = textOf(undo?.action ?? null);
  if (undo === null || command === null) return null;
  const { state } = undo;
  const lines = [`undo: ${command}`, ...(state === '' || state === 'none' ? [] : [state])];
  return { lines, tone: state === 'succeeded' ? 'undone' : toneOf(state) };
}

function textOf(action: GraphStep['action']): string | null {
  return action === null ? null : `${action.module}.${action.command}`;
}

/** The tones of the states in a drawing, in the order of the legend. */
export function tonesIn(steps: readonly DrawnStep[]): readonly (keyof typeof LEGEND)[] {
  const found = new Set<Tone>();
  const look = ({ lists, tone, undo }: DrawnStep): void => {
    found.add(tone).add(undo?.tone ?? tone);
    for (const list of lists) list.steps.forEach(look);
  };
  steps.forEach(look);
  return (Object.keys(LEGEND) as (keyof typeof LEGEND)[]).filter((tone) => found.has(tone));
}

/** All edges of a list of steps and of those in it. */
export function edgesOf(steps: readonly DrawnStep[]): readonly DrawnEdge[] {
  const byName = new Map(steps.map((step) => [step.name, step]));
  const known = new Map<DrawnStep, readonly string[]>();
  // Steps that have nothing to undo are passed over.
  const undoneAfter = (step: DrawnStep): readonly string[] => {
    const found = known.get(step);
    if (found !== undefined) return found;
    const before = step.needs.flatMap((name) => byName.get(name) ?? []);
    const next = new Set(before.flatMap((need) => backEnd(need) ?? undoneAfter(need)));
    known.set(step, [...next]);
    return [...next];
  };
  const forward = edgesIn(steps).map(({ from, to, used }): DrawnEdge => {
    const isAhead = !used && steps.some(({ state }) => state !== '');
    return { from, to, kind: isAhead ? 'ahead' : 'forward' };
  });
  const others = steps.flatMap((step): DrawnEdge[] => {
    const { id, lists, undo } = step;
    const end = backEnd(step);
    const after = end === null ? [] : undoneAfter(step).map((to) => back(end, to));
    return [
      ...(undo === null ? [] : [back(id, undo.id)]),
      ...after,
      ...lists.flatMap((list) => edgesOf(list.steps)),
    ];
  });
  return [...forward, ...others];
}

function back(from: string, to: string): DrawnEdge {
  return { from, to, kind: 'back' };
}

/** Where the way back goes on: at what undoes a step, or the cluster that goes back by itself. */
function backEnd({ id, lists, undo }: DrawnStep): string | null {
  if (undo !== null) return undo.id;
  const isUndone = lists.some((list) => list.steps.some((step) => backEnd(step) !== null));
  return isUndone ? id : null;
}
