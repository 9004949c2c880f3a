import { makingMember, listsIn } from '#kinds';

/** A step as it is drawn: a node, or a cluster where it holds steps. */
export interface GraphStep {
  /** Unique in the drawing. */
  readonly id: string;
  readonly name: string;
  /** Its action, and its state where it belongs to a task. */
  readonly lines: readonly string[];
  /** Names of steps in the same list. */
  readonly needs: readonly string[];
  /** The rollback that undoes it; null: none. */
  readonly undo: { readonly id: string; readonly lines: readonly string[] } | null;
  readonly lists: readonly GraphList[];
}

/** A list of steps that a step holds. */
export interface GraphList {
  readonly id: string;
  readonly title: string;
  readonly steps: readonly GraphStep[];
}

/** From one node or cluster to another one: forward, or on the way back. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: 'forward' | 'back';
}

/** A step as HTTP shows it, of a flow or of a task. */
export type PublicStep = Readonly<Record<string, unknown>> & {
  readonly name: string;
  readonly needs: readonly string[];
};

/** The steps of a flow or a task for drawing. */
export function graphOf(steps: readonly PublicStep[]): readonly GraphStep[] {
  let count = 0;
  const newId = (): string => `n${(count += 1)}`;
  const listOf = (list: PublicList): GraphList => {
    return { id: newId(), title: list.title, steps: list.steps.map(stepOf) };
  };
  const stepOf = (step: PublicStep): GraphStep => {
    const id = newId();
    const { name, needs, rollback, state } = step;
    const action = actionText(step['normal']) ?? kindOf(step);
    const command = actionText(rollback);
    const undo = command === null ? null : [`undo: ${command}`, ...stateLines(stateOf(rollback))];
    return {
      id,
      name,
      needs,
      lines: [action, ...pivotLines(step), ...stateLines(state)],
      undo: undo === null ? null : { id: newId(), lines: undo },
      lists: listsOf(step).map(listOf),
    };
  };
  return steps.map(stepOf);
}

/** All edges of a list of steps and of those in it. */
export function edgesOf(steps: readonly GraphStep[]): readonly GraphEdge[] {
  const byName = new Map(steps.map((step) => [step.name, step]));
  const before = ({ needs }: GraphStep): readonly GraphStep[] => {
    return needs.flatMap((name) => byName.get(name) ?? []);
  };
  const known = new Map<GraphStep, readonly string[]>();
  // Steps that have nothing to undo are passed over.
  const undoneAfter = (step: GraphStep): readonly string[] => {
    const found = known.get(step);
    if (found !== undefined) return found;
    const next = before(step).flatMap((need) => backEnd(need) ?? undoneAfter(need));
    known.set(step, [...new Set(next)]);
    return [...new Set(next)];
  };
  return steps.flatMap((step): GraphEdge[] => {
    const { id, lists, undo } = step;
    const end = backEnd(step);
    const after = end === null ? [] : undoneAfter(step).map((to) => edge(end, to, 'back'));
    return [
      ...before(step).map((need) => edge(need.id, id, 'forward')),
      ...(undo === null ? [] : [edge(id, undo.id, 'back')]),
      ...after,
      ...lists.flatMap((list) => edgesOf(list.steps)),
    ];
  });
}

function edge(from: string, to: string, kind: GraphEdge['kind']): GraphEdge {
  return { from, to, kind };
}

/** Where the way back goes on: at what undoes a step, or the cluster that goes back by itself. */
function backEnd({ id, lists, undo }: GraphStep): string | null {
  if (undo !== null) return undo.id;
  const isUndone = lists.some((list) => list.steps.some((step) => backEnd(step) !== null));
  return isUndone ? id : null;
}

interface PublicList {
  readonly title: string;
  readonly steps: readonly PublicStep[];
}

type Members = Readonly<Record<string, unknown>>;

/** The lists of a step: of a task those that it entered and those of child tasks, of a flow all. */
function listsOf(step: PublicStep): readonly PublicList[] {
  const { scopes } = step;
  const isTask = Array.isArray(scopes);
  const written = listsIn(step).filter(({ declared }) => !isTask || declared.scope === 'children');
  const entered = isTask ? scopes.filter(isMembers) : [];
  return [
    ...written.map(({ steps, title }) => titled(title, { steps })),
    ...entered.map((scope) => titled(`${text(scope['kind'])} ${text(scope['name'])}`, scope)),
  ];
}

function titled(title: string, { steps }: Members): PublicList {
  return { title, steps: Array.isArray(steps) ? (steps as PublicStep[]) : [] };
}

/** A text or number of an HTTP answer as text; else an empty text. */
function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : '';
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function actionText(action: unknown): string | null {
  if (!isMembers(action)) return null;
  return `${String(action['module'])}.${String(action['command'])}`;
}

/** The member that makes a step. */
function kindOf(step: PublicStep): string {
  const { kind } = step;
  return typeof kind === 'string' ? kind : (makingMember(step) ?? '');
}

function pivotLines({ pivot }: PublicStep): readonly string[] {
  return pivot === true ? ['point of no return'] : [];
}

function stateOf(run: unknown): unknown {
  return isMembers(run) ? run['state'] : undefined;
}

function stateLines(state: unknown): readonly string[] {
  return typeof state === 'string' && state !== 'none' ? [state] : [];
}
