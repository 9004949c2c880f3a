import type { Action, FlowStep, Scope, Step } from '../api/shapes.js';
import { isUndone } from '../task/steps.js';
import { WORDS } from '../words.js';

const { scopes: TITLES } = WORDS.graph;

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
  /** Whether nothing goes back past it by itself, once it has succeeded. */
  readonly isPivot: boolean;
  /** Of an entry that stands for several steps: the fold that it opens. */
  readonly run?: string;
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
    : undoOfTry(scopes ?? []);
  const undoState = undo?.state ?? 'none';
  return {
    id,
    name,
    label: WORDS.graph.node(name, state, undoState === 'none' ? '' : undoState),
    kind,
    state,
    command: commandOf(normal) || kind,
    undo,
    needs,
    scopes: (scopes ?? []).map((scope) => ({
      title: titleOf(scope),
      isBack: scope.way === 'back',
      isUndone: scope.way === 'back' && isUndone(scope.steps),
      steps: scope.steps.map((inner) => taskStep(inner, isBack || scope.way === 'back')),
    })),
    attempts,
    isPivot: step.pivot === true,
  };
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
  const steps = stepsOf(written);
  return { isBack: false, steps: steps.map((step, index) => flowStep(step, `${index}`, steps)) };
}

const OTHERS = new Set([
  ...['name', 'needs', 'description', 'rollback', 'catch', 'if', 'optional', 'pivot'],
]);
const KINDS = [
  'normal',
  'group',
  'choice',
  'parallel',
  'loop',
  'foreach',
  'flow',
  'wait',
  'approve',
  'set',
  'succeed',
  'fail',
  'dynamic',
];

function flowStep(step: FlowStep, id: string, siblings: readonly FlowStep[]): GraphStep {
  const { name, normal, rollback } = step;
  const kind = kindOf(step);
  return {
    id,
    name,
    label: name,
    kind,
    state: '',
    command: commandOf(normal) || kind,
    undo: rollback ? { state: '', command: commandOf(rollback) } : null,
    needs: step.needs ?? chainNeeds(step, siblings),
    scopes: scopesOf(step, id),
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

function scopesOf(step: FlowStep, id: string): readonly GraphScope[] {
  return listsOf(step).map(([title, steps], index) => ({
    title,
    isBack: false,
    isUndone: false,
    steps: steps.map((inner, place) => flowStep(inner, `${id}/${index}/${place}`, steps)),
  }));
}

type Lists = readonly (readonly [string, readonly FlowStep[]])[];

/** The lists of steps that a step of any kind holds. */
function listsOf(step: FlowStep): Lists {
  const cases = entries(step['choice']).map(
    (one, index) =>
      [TITLES.case(textOf(one['name']) || `${index + 1}`), stepsOf(one['steps'])] as const,
  );
  const branches = Object.entries(recordOf(step['parallel'])).map(
    ([name, steps]) => [TITLES.branch(name), stepsOf(steps)] as const,
  );
  const catches = entries(step['catch']).map(
    (one) => [TITLES.catch([one['errors']].flat().join(', ')), stepsOf(one['steps'])] as const,
  );
  const all: Lists = [
    [TITLES.group, stepsOf(step['group'])],
    ...cases,
    [TITLES.otherwise, stepsOf(step['otherwise'])],
    ...branches,
    [TITLES.round, stepsOf(recordOf(step['loop'])['steps'])],
    [TITLES.item, stepsOf(recordOf(step['foreach'])['steps'])],
    ...catches,
  ];
  return all.filter(([, steps]) => steps.length > 0);
}

/** Steps with the names that they have by themselves, where their author gave none. */
function stepsOf(value: unknown): readonly FlowStep[] {
  const written = entries(value).filter((one) => Object.keys(one).length > 0);
  const names = new Set<string>();
  const steps = written.map((step): FlowStep => {
    const base =
      textOf(step['name']) || textOf(recordOf(step['normal'])['command']) || kindOf(step);
    let name = base;
    for (let n = 2; textOf(step['name']) === '' && names.has(name); n += 1) name = `${base}-${n}`;
    names.add(name);
    return { ...step, name };
  });
  return steps.map((step): FlowStep => {
    const { needs } = step;
    if (!Array.isArray(needs)) return { ...step, needs: undefined };
    return { ...step, needs: needs.filter((need) => need !== step.name && names.has(need)) };
  });
}

function kindOf(step: Readonly<Record<string, unknown>>): string {
  return (
    KINDS.find((one) => step[one] !== undefined) ??
    Object.keys(step).find((member) => !OTHERS.has(member)) ??
    'normal'
  );
}

function entries(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(recordOf) : [];
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function commandOf(action: Action | undefined): string {
  return action?.command === undefined ? '' : `${action.module}.${action.command}`;
}
