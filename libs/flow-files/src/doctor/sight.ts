import type { FlowDefinition, StepPlan } from '#core';
import { declarationOf, hasNamedOutput } from '#core/flow';
import { declaredMembers, isClosed, isExplicit, requiredMembers } from '../declared-members.js';
import type { KnownCommands } from '../known-commands.js';
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

/** Rounds of loops: the first one sees nothing of others, any other one sees those before it. */
type Round = 'first' | 'any';

/**
 * Where a parameter comes from. `given`: from something that always gives it, as far as a flow
 * says. `request`: from a request, which may leave it out. `output`: perhaps from the output of a
 * command, which nobody knows. `nothing`: nothing can give it.
 */
export type ParameterSource =
  | { readonly kind: 'given' | 'request' | 'nothing' }
  | { readonly kind: 'output'; readonly of: StepPlan };

const GIVEN: ParameterSource = { kind: 'given' };

/** `in` of a `foreach` that is one parameter. */
const NAMED_LIST = /^\s*\{%\s*(?:\$\.)?(\w+)\s*%\}\s*$/;

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
    const standing = standingIn(view, position, 'any');
    if (standing !== 'after') return standing;
    found = 'after';
  }
  return found;
}

function standingIn({ list, position, sees }: Viewpoint, other: number, round: Round): Standing {
  if (sees === 'nothing') return 'after';
  // A round also sees what the rounds before it gave.
  if (sees === 'all' || (list.kind === 'loop' && round === 'any')) return 'before';
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

/** The parameter that is the list of a `foreach`, of whose child tasks this is a list. */
function itemsOf({ holder }: ListView): string | undefined {
  const { in: items } = holder?.list.steps[holder.position]?.foreach ?? {};
  return typeof items === 'string' ? NAMED_LIST.exec(items)?.[1] : undefined;
}

/** The steps of a list that write parameters. */
interface Writers {
  /** By parameter: positions of steps that are known to write it. */
  readonly byName: ReadonlyMap<string, readonly number[]>;
  /** Positions of commands, which may return anything. */
  readonly commands: readonly number[];
}

/** Which parameters there can be, as far as a flow says. */
export class ParameterSight {
  /** Null: a request may send anything. */
  readonly #sent: ReadonlySet<string> | null;
  readonly #required: ReadonlySet<string>;
  readonly #constants: ReadonlySet<string>;
  readonly #writers = new Map<ListView, Writers>();
  readonly #known: KnownCommands | undefined;

  /** `known`: absent: nothing is known of commands. */
  constructor({ constants = {}, input }: FlowDefinition, known?: KnownCommands) {
    this.#known = known;
    this.#sent = input === null || !isClosed(input) ? null : declaredMembers(input);
    this.#required = input === null ? new Set() : requiredMembers(input);
    this.#constants = new Set(Object.keys(constants));
  }

  /** Whether a request can have a member of this name. */
  canBeSent(name: string): boolean {
    return this.#sent?.has(name) ?? true;
  }

  /** Whether there can be a parameter of this name. */
  canBeRead(name: string, from: Viewpoint): boolean {
    if (this.canBeSent(name) || this.#constants.has(name)) return true;
    return [...outwards(from)].some((view) => this.#isGivenIn(view, name));
  }

  /** Whether it names the list of a `foreach` around, which child tasks are not given. */
  isLeftOut(name: string, from: Viewpoint): boolean {
    const views = [...outwards(from)];
    const task = views.findIndex(({ list }) => list.kind === 'foreach' && itemsOf(list) === name);
    return task >= 0 && !views.slice(0, task + 1).some((view) => this.#isGivenIn(view, name));
  }

  #isGivenIn(view: Viewpoint, name: string): boolean {
    const { byName, commands } = this.#writersIn(view.list);
    const isBefore = (other: number): boolean => standingIn(view, other, 'any') === 'before';
    const returns = (other: number): boolean => {
      const names = this.returnedBy(view.list.steps[other]);
      return isBefore(other) && names?.has(name) !== false;
    };
    const isWritten = (byName.get(name) ?? []).some(isBefore) || commands.some(returns);
    return isWritten || view.list.given.includes(name);
  }

  /**
   * The members that the output of a command can have, as all its builds announce that there are no
   * others; null: any.
   */
  returnedBy(step: StepPlan | undefined): ReadonlySet<string> | null {
    if (step?.normal === undefined || step.catch !== undefined) return null;
    const { command, module } = step.normal;
    const schemas = this.#known?.outputs?.(module, command) ?? [];
    const isLimited =
      schemas.length > 0 && schemas.every((one) => isExplicit(one) && isClosed(one));
    return isLimited ? new Set(schemas.flatMap((one) => [...declaredMembers(one)])) : null;
  }

  /** Where a parameter comes from. `round`: the round of the loops around that is looked at. */
  sourceOf(name: string, from: Viewpoint, round: Round): ParameterSource {
    const isOpen = this.#sent === null;
    if (isOpen || this.#required.has(name) || this.#constants.has(name)) return GIVEN;
    let returner: StepPlan | null = null;
    for (const view of outwards(from)) {
      const { byName, commands } = this.#writersIn(view.list);
      const isBefore = (other: number): boolean => standingIn(view, other, round) === 'before';
      const isWritten = (byName.get(name) ?? []).some(isBefore);
      if (isWritten || view.list.given.includes(name)) return GIVEN;
      returner ??= view.list.steps[commands.findLast(isBefore) ?? -1] ?? null;
    }
    const isSent = this.canBeSent(name);
    if (returner === null) return isSent ? { kind: 'request' } : { kind: 'nothing' };
    return isSent ? GIVEN : { kind: 'output', of: returner };
  }

  /** The names that a request can have, as far as they are known. */
  sendable(): readonly string[] {
    return [...(this.#sent ?? [])];
  }

  /** Names of all parameters that are known to be there, and of some that may be. */
  namesAt(from: Viewpoint): readonly string[] {
    const written = [...outwards(from)].flatMap((view) => {
      const { byName } = this.#writersIn(view.list);
      const isBefore = (other: number): boolean => standingIn(view, other, 'any') === 'before';
      const names = [...byName].filter(([, positions]) => positions.some(isBefore));
      return [...view.list.given, ...names.map(([name]) => name)];
    });
    return [...new Set([...(this.#sent ?? []), ...this.#constants, ...written])];
  }

  #writersIn(list: ListView): Writers {
    const known = this.#writers.get(list);
    if (known !== undefined) return known;
    const byName = new Map<string, number[]>();
    const commands: number[] = [];
    for (const [i, step] of list.steps.entries()) {
      const names = namesWritten(step);
      if (names === null) commands.push(i);
      for (const name of names ?? []) byName.set(name, [...(byName.get(name) ?? []), i]);
    }
    const writers = { byName, commands };
    this.#writers.set(list, writers);
    return writers;
  }
}

/** The parameters that a step writes; null: nobody knows, as a command may return anything. */
export function namesWritten(step: StepPlan): readonly string[] | null {
  if (declarationOf(step).output === 'none') return [];
  if (hasNamedOutput(step)) return [step.name];
  return step.set === undefined ? null : Object.keys(step.set);
}
