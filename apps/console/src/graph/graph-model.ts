import { listsIn } from '#kinds';
import type { Action, FlowStep, Scope, Step } from '../api/shapes.js';
import { isUndone } from '../task/steps.js';
import { WORDS } from '../words.js';
import { kindOf, type Members, recordOf, stepNames } from './step-names.js';

/** Names of members and places in lists. */
type StepPath = readonly (string | number)[];

/** A step as the graph draws it. */
export interface GraphStep {
  readonly id: string;
  readonly name: string;
  /** For assistive technology: `<step>, <state>`, on the way back `, undo <state>`. */
  readonly label: string;
  readonly kind: string;
  /** Empty in a flow, which has no runs. */
  readonly state: string;
  readonly command: string;
  /** The lane below; null: the step has no undo. */
  readonly undo: GraphUndo | null;
  /** Names in the same list. */
  readonly needs: readonly string[];
  readonly scopes: readonly GraphScope[];
  readonly attempts: number;
  /** How its child tasks stand; absent: it has none. */
  readonly shares?: readonly Share[];
  /** Whether nothing goes back past it by itself, once it has succeeded. */
  readonly isPivot: boolean;
  /** Of an entry that stands for several steps: the fold that it opens. */
  readonly run?: string;
  /** Of a step of a flow: where it stands, from the list of its steps on. */
  readonly path?: StepPath;
}

/** A part of a whole, from 0 to 1, and how it looks. */
interface Share {
  readonly tone: string;
  readonly share: number;
}

/** The undo of a step. */
interface GraphUndo {
  readonly state: string;
  readonly command: string;
  /** The part of the step that is undone, such as a try; absent: all of it. */
  readonly of?: string;
}

/** Steps in a box of their own. */
export interface GraphScope {
  readonly title: string;
  readonly isBack: boolean;
  /** Whether it has gone back altogether. */
  readonly isUndone: boolean;
  readonly steps: readonly GraphStep[];
  /** Its place among the scopes of its step, where some are not drawn. Default: as it stands. */
  readonly place?: number;
  /** So many scopes that this one stands for; absent: it stands for itself. */
  readonly count?: number;
}

/** The steps that are drawn, and whether the way back is drawn too. */
export interface Graph {
  readonly steps: readonly GraphStep[];
  readonly isBack: boolean;
}

/** A task as it is now. */
export function taskGraph(steps: readonly Step[], isBack: boolean): Graph {
  return { isBack, steps: steps.map((step) => taskStep(step, isBack)) };
}

function taskStep(step: Step, isBack: boolean): GraphStep {
  const { attempts, id, kind, name, needs, normal, rollback, scopes, state } = step;
  const undo = rollback
    ? { state: rollback.state, command: commandOf(rollback) }
    : (undoOfChildren(step) ?? undoOfTry(scopes ?? []));
  const undoState = undo?.state ?? 'none';
  return {
    id,
    name,
    label: WORDS.graph.node(name, state, undoState === 'none' ? '' : undoState),
    kind,
    state,
    command: commandOf(normal) || kindWords(step),
    undo,
    needs,
    scopes: (scopes ?? []).map((scope) => ({
      title: titleOf(scope),
      isBack: scope.way === 'back',
      isUndone: scope.way === 'back' && isUndone(scope.steps),
      steps: scope.steps.map((inner) => taskStep(inner, isBack || scope.way === 'back')),
    })),
    attempts,
    ...(step.children !== undefined && { shares: sharesOf(step) }),
    isPivot: step.pivot === true,
  };
}

/** The kind of a step that is no command; of one with child tasks, with how these stand. */
function kindWords({ children, kind }: Step): string {
  if (children === undefined || children.total === 0) return kind;
  const { failed, started, succeeded, total, way } = children;
  if (way === 'back') return WORDS.graph.undone(kind, failed, started);
  return WORDS.graph.items(kind, { ended: succeeded + failed, failed, total });
}

/** The shares of child tasks that stand so: of an undo, those that are undone and those to undo. */
function sharesOf({ children }: Step): readonly Share[] {
  if (children === undefined || children.total === 0) return [];
  const { active, failed, started, succeeded, total, way } = children;
  const whole = way === 'back' ? started : total;
  const shares: readonly (readonly [tone: string, count: number])[] = [
    [way === 'back' ? 'back' : 'bad', failed],
    ['good', succeeded],
    ['move', active],
  ];
  return shares.map(([tone, count]) => ({ tone, share: count / Math.max(1, whole) }));
}

/** How the child tasks of a step are undone; null: they are not. */
function undoOfChildren({ children }: Step): GraphUndo | null {
  if (children === undefined || children.way === 'forward' || children.started === 0) return null;
  const isOver = children.active === 0 && children.succeeded === 0;
  return { state: isOver ? 'succeeded' : 'running', command: WORDS.step.children };
}

/** How the last try of a group that went back is undone; null: none has anything to undo. */
function undoOfTry(scopes: readonly Scope[]): GraphUndo | null {
  const last = scopes.findLast(({ kind, way }) => kind === 'try' && way === 'back');
  if (last === undefined) return null;
  const states = new Set(undoStatesIn(last.steps));
  states.delete('none');
  if (states.size === 0) return null;
  const isOver = [...states].every((state) => state === 'succeeded' || state === 'skipped');
  const state = states.has('failed') ? 'failed' : isOver ? 'succeeded' : 'running';
  const title = titleOf(last);
  return { state, command: title, of: title };
}

function undoStatesIn(steps: readonly Step[]): readonly string[] {
  return steps.flatMap(({ rollback, scopes = [] }) => {
    const inner = scopes.flatMap((scope) => undoStatesIn(scope.steps));
    return [rollback?.state ?? 'none', ...inner];
  });
}

function titleOf({ kind, name }: Pick<Scope, 'kind' | 'name'>): string {
  return name === '' || name === kind ? kind : `${kind} ${name}`;
}

/**
 * A flow, of which nothing has run. Entries that are no steps, as in a text that is typed, are left
 * out.
 */
export function flowGraph(written: readonly FlowStep[]): Graph {
  return { isBack: false, steps: flowSteps(stepsOf(written), []) };
}

/** The id of the node of a step of a flow. */
export function nodeId(path: StepPath): string {
  return path.map((part) => encodeURIComponent(part)).join('/');
}

function flowSteps(listed: readonly Listed[], list: StepPath): readonly GraphStep[] {
  const steps = listed.map(({ step }) => step);
  return listed.map(({ place, step }) => flowStep(step, [...list, place], steps));
}

function flowStep(step: FlowStep, path: StepPath, siblings: readonly FlowStep[]): GraphStep {
  const { name, normal, rollback } = step;
  const kind = kindOf(step);
  return {
    id: nodeId(path),
    path,
    name,
    label: name,
    kind,
    state: '',
    command: commandOf(normal) || kind,
    undo: rollback ? { state: '', command: commandOf(rollback) } : null,
    needs: step.needs ?? chainNeeds(step, siblings),
    scopes: scopesOf(step, path),
    attempts: 0,
    isPivot: step['pivot'] === true,
  };
}

/** Without `needs` anywhere, a list is a chain. */
function chainNeeds(step: FlowStep, siblings: readonly FlowStep[]): readonly string[] {
  if (siblings.some(({ needs }) => needs !== undefined)) return [];
  const before = siblings[siblings.indexOf(step) - 1];
  return before === undefined ? [] : [before.name];
}

function scopesOf(step: FlowStep, path: StepPath): readonly GraphScope[] {
  const lists = [...listsIn(step)].map((list) => ({ ...list, steps: stepsOf(list.steps) }));
  const held = lists.filter(({ steps }) => steps.length > 0);
  return held.map(({ path: at, steps, title }) => ({
    title,
    isBack: false,
    isUndone: false,
    steps: flowSteps(steps, [...path, ...at]),
  }));
}

/** A step, and its place in its list. */
interface Listed {
  readonly step: FlowStep;
  readonly place: number;
}

/** Steps with the names that they have by themselves, where their author gave none. */
function stepsOf(value: unknown): readonly Listed[] {
  const written = entries(value);
  const named = stepNames(written);
  const listed = written.flatMap((step, place) =>
    Object.keys(step).length === 0 ? [] : [{ step, place, name: named[place] ?? '' }],
  );
  const names = new Set(listed.map(({ name }) => name));
  return listed.map(({ name, place, step }): Listed => {
    const { needs } = step;
    const known = Array.isArray(needs)
      ? needs.filter((need: unknown): need is string => need !== name && names.has(String(need)))
      : undefined;
    return { place, step: { ...step, name, needs: known } };
  });
}

function entries(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.map(recordOf) : [];
}

function commandOf(action: Action | undefined): string {
  return action?.command === undefined ? '' : `${action.module}.${action.command}`;
}
