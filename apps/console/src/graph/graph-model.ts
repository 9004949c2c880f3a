import * as kinds from '#kinds';
import type { FlowStep, Step } from '../api/shapes.js';
import { WORDS } from '../words.js';

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
  readonly path?: kinds.StepPath;
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
  /** This many scopes that this one stands for; absent: it stands for itself. */
  readonly count?: number;
}

/** The steps that are drawn, and whether the way back is drawn too. */
export interface Graph {
  readonly steps: readonly GraphStep[];
  readonly isBack: boolean;
}

/** A task as it is now. */
export function taskGraph(steps: readonly Step[], isBack: boolean): Graph {
  return { isBack, steps: kinds.taskGraph(steps).map(drawnStep) };
}

/**
 * A flow, of which nothing has run. Entries that are no steps, as in a text that is typed, are left
 * out.
 */
export function flowGraph(written: readonly FlowStep[]): Graph {
  return { isBack: false, steps: kinds.flowGraph(written).map(drawnStep) };
}

function drawnStep(step: kinds.GraphStep): GraphStep {
  const { action, id, isPivot, kind, name, needs, path, run, scopes, state, undo } = step;
  const children = run?.children ?? null;
  return {
    ...{ id, name, kind, state, needs, isPivot },
    label: labelOf(step),
    command: commandOf(action) || kindWords(kind, children),
    undo: undo && {
      state: undo.state,
      command: commandOf(undo.action) || (undo.of ?? WORDS.step.children),
      ...(undo.of !== undefined && { of: undo.of }),
    },
    scopes: scopes.map(({ isUndone, steps, title, way }) => {
      return { title, isBack: way === 'back', isUndone, steps: steps.map(drawnStep) };
    }),
    attempts: run?.attempts ?? 0,
    ...(children !== null && { shares: sharesOf(children) }),
    ...(path !== undefined && { path }),
  };
}

function labelOf({ name, state, undo }: kinds.GraphStep): string {
  const undoState = undo?.state ?? 'none';
  if (state === '') return name;
  return WORDS.graph.node(name, state, undoState === 'none' ? '' : undoState);
}

/** The kind of a step that is no command; of one with child tasks, with how these stand. */
function kindWords(kind: string, children: kinds.Children | null): string {
  if (children === null || children.total === 0) return kind;
  const { failed, started, succeeded, total, way } = children;
  if (way === 'back') return WORDS.graph.undone(kind, failed, started);
  return WORDS.graph.items(kind, { ended: succeeded + failed, failed, total });
}

/** The shares of child tasks that stand so: of an undo, those that are undone and those to undo. */
function sharesOf({
  active,
  failed,
  started,
  succeeded,
  total,
  way,
}: kinds.Children): readonly Share[] {
  if (total === 0) return [];
  const whole = way === 'back' ? started : total;
  const shares: readonly (readonly [tone: string, count: number])[] = [
    [way === 'back' ? 'back' : 'bad', failed],
    ['good', succeeded],
    ['move', active],
  ];
  return shares.map(([tone, count]) => ({ tone, share: count / Math.max(1, whole) }));
}

function commandOf(action: kinds.GraphStep['action']): string {
  return action === null ? '' : `${action.module}.${action.command}`;
}
