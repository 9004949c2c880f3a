import { type FlowDefinition, hasNamedOutput, type StepPlan } from '#core';
import { declaredMembers, isExplicit } from '../declared-members.js';
import type { Holder, ListView } from './list-view.js';

/**
 * From where an expression looks: what comes before a step, the step itself too (its rollback),
 * all of a list (the condition of a loop, the output of a flow), or no step at all (labels).
 */
export interface Viewpoint {
  readonly list: ListView;
  readonly position: number;
  readonly sees: 'before' | 'itself' | 'all' | 'nothing';
}

/**
 * How a step of some name lies to a viewpoint: it ran before, may have run, can only run after it,
 * or is not there.
 */
type Standing = 'before' | 'beside' | 'after' | 'none';

/** Finds a step by its name in the list of a viewpoint, then in the lists around it. */
export function standingOf(name: string, from: Viewpoint): Standing {
  let found: Standing = 'none';
  for (const view of outwards(from)) {
    const position = view.list.positions.get(name);
    if (position === undefined) {
      // A child task sees the parameters around it, and no steps.
      if (view.list.kind === 'foreach') break;
      continue;
    }
    const standing = standingIn(view, position);
    if (standing !== 'after') return standing;
    found = 'after';
  }
  return found;
}

function standingIn({ list, position, sees }: Viewpoint, other: number): Standing {
  // A round also sees what the rounds before it gave.
  if (sees === 'nothing') return 'after';
  if (sees === 'all' || list.kind === 'loop') return 'before';
  if (other === position) return sees === 'itself' ? 'before' : 'after';
  if (list.order.isBefore(other, position)) return 'before';
  return list.order.isBefore(position, other) ? 'after' : 'beside';
}

/** A viewpoint and those around it: each as the step around the list before sees. */
export function* outwards(from: Viewpoint): Generator<Viewpoint> {
  let view: Viewpoint | null = from;
  while (view !== null) {
    yield view;
    const holder: Holder | null = view.list.holder;
    view = holder === null ? null : { ...holder, sees: 'before' };
  }
}

/** Which parameters there can be, as far as a flow says. */
export class ParameterSight {
  /** Null: a request may send anything. */
  readonly #sent: ReadonlySet<string> | null;
  readonly #constants: ReadonlySet<string>;
  readonly #known = new Map<ListView, Map<string, ReadonlySet<string> | null>>();

  constructor({ constants = {}, input }: FlowDefinition) {
    const isOpen = input === null || isExplicit(input) || 'patternProperties' in input;
    this.#sent = isOpen ? null : declaredMembers(input);
    this.#constants = new Set(Object.keys(constants));
  }

  /** Whether a request can have a member of this name. */
  canBeSent(name: string): boolean {
    return this.#sent?.has(name) ?? true;
  }

  /** Whether there can be a parameter of this name. */
  canBeRead(name: string, from: Viewpoint): boolean {
    if (this.canBeSent(name) || this.#constants.has(name)) return true;
    for (const view of outwards(from)) {
      if (view.list.given.includes(name)) return true;
      const written = this.#writtenBefore(view);
      if (written === null || written.has(name)) return true;
    }
    return false;
  }

  /** The names that a request can have, as far as they are known. */
  sendable(): readonly string[] {
    return [...(this.#sent ?? [])];
  }

  /** The names of the parameters that there can be, as far as they are known. */
  readable(from: Viewpoint): readonly string[] {
    const inLists = [...outwards(from)].flatMap((view) => [
      ...view.list.given,
      ...(this.#writtenBefore(view) ?? []),
    ]);
    return [...this.sendable(), ...this.#constants, ...inLists];
  }

  /** Parameters that the steps of one list may have written; null: any. */
  #writtenBefore(view: Viewpoint): ReadonlySet<string> | null {
    const { list, position, sees } = view;
    const key = sees === 'all' ? sees : `${sees} ${position}`;
    const lists = this.#known.get(list) ?? new Map<string, ReadonlySet<string> | null>();
    this.#known.set(list, lists);
    const known = lists.get(key);
    if (known !== undefined) return known;
    const names = writtenIn(view);
    lists.set(key, names);
    return names;
  }
}

function writtenIn(view: Viewpoint): ReadonlySet<string> | null {
  const names = new Set<string>();
  for (const [i, step] of view.list.steps.entries()) {
    if (standingIn(view, i) === 'after') continue;
    const written = namesWritten(step);
    if (written === null) return null;
    for (const name of written) names.add(name);
  }
  return names;
}

/** The parameters that a step writes; null: nobody knows, as a command may return anything. */
export function namesWritten(step: StepPlan): readonly string[] | null {
  if (step.succeed !== undefined || step.fail !== undefined) return [];
  if (hasNamedOutput(step)) return [step.name];
  return step.set === undefined ? null : Object.keys(step.set);
}
