import type { JsonObject } from '#core';
import type { Notes } from '../names.js';
import { below, clip, isObject, listIn, memberOf, objectIn, textIn } from '../source.js';

/** Where all ways meet that do not end early. */
export const END: unique symbol = Symbol('end');

/** A state by name, or the end. */
export type Stop = string | typeof END;

/** A state as it stands in the source. */
export interface State {
  readonly name: string;
  readonly type: string;
  readonly value: JsonObject;
  readonly pointer: string;
  /** The states that may come next, and the end. */
  readonly next: readonly Stop[];
}

/** Options for reading a graph. */
interface GraphOptions {
  readonly notes: Notes;
  /** Whether it is a branch: an early end of it would end the whole task. */
  readonly isBranch: boolean;
}

const TYPES = new Set(['Task', 'Pass', 'Choice', 'Parallel', 'Map', 'Wait', 'Succeed', 'Fail']);
const STATES_MAX = 1_000;

/** The states of a machine, of a branch or of a map: from which one leads to which. */
export class StateGraph {
  readonly start: string;
  private readonly notes: Notes;
  private readonly isBranch: boolean;
  readonly #states = new Map<string, State>();
  /** States in an order in which each comes behind all that it leads to. */
  readonly #order: string[] = [];
  readonly #joins = new Map<Stop, Stop | null>();
  readonly #depths = new Map<Stop, number>([[END, 0]]);

  constructor(
    machine: JsonObject,
    private readonly pointer: string,
    options: GraphOptions,
  ) {
    const notes: Notes = options.notes;
    this.notes = notes;
    this.isBranch = options.isBranch;
    const states = objectIn(machine, 'States');
    const start = textIn(machine, 'StartAt');
    if (start === undefined || !Object.hasOwn(states, start)) {
      notes.refuse(pointer, 'NOT_THE_FORMAT', '`StartAt` does not name a state of `States`.');
    }
    if (Object.keys(states).length > STATES_MAX) {
      notes.refuse(pointer, 'TOO_LARGE', `There are more than ${STATES_MAX} states.`);
    }
    for (const [name, value] of Object.entries(states)) {
      const at = below(below(pointer, 'States'), name);
      if (!isObject(value)) notes.refuse(at, 'NOT_THE_FORMAT', 'A state must be an object.');
      const type = textIn(value, 'Type') ?? '';
      if (!TYPES.has(type)) {
        notes.refuse(at, 'NOT_THE_FORMAT', `\`${clip(type)}\` is not a type of state.`);
      }
      this.#states.set(name, { name, type, value, pointer: at, next: nextOf(value, type) });
    }
    this.start = start;
    this.#sort(start, new Set());
    this.#findJoins();
  }

  state(name: string): State {
    const found = this.#states.get(name);
    if (found === undefined) {
      this.notes.refuse(this.pointer, 'NOT_THE_FORMAT', `There is no state \`${clip(name)}\`.`);
    }
    return found;
  }

  /** Where all ways from a state meet again; null: none of them goes on. */
  joinOf(name: string): Stop | null {
    return this.#joins.get(name) ?? null;
  }

  /** Whether all ways from a state that go on lead past a place. */
  leadsTo(from: Stop, place: Stop): boolean {
    let at: Stop | null = from;
    while (at !== null && at !== place) at = this.#joins.get(at) ?? null;
    return at === place;
  }

  /** Whether the state ends a machine that has other ends as well. */
  isEarlyEnd({ type }: State): boolean {
    return !this.isBranch && type === 'Succeed' && this.#ends() > 1;
  }

  #ends(): number {
    return this.#order.filter((name) => this.state(name).next.includes(END)).length;
  }

  #sort(name: string, open: Set<string>, done = new Set<string>()): void {
    if (done.has(name)) return;
    const state = this.state(name);
    open.add(name);
    for (const next of state.next) {
      if (next === END) continue;
      if (open.has(next)) {
        const message = `State \`${clip(name)}\` leads back to \`${clip(next)}\`. Use a \`loop\`.`;
        this.notes.refuse(state.pointer, 'JUMP_BACK', message);
      }
      this.#sort(next, open, done);
    }
    open.delete(name);
    done.add(name);
    this.#order.push(name);
  }

  /** Immediate post-dominators, where ways that end early count as none. */
  #findJoins(): void {
    for (const name of this.#order) {
      const state = this.state(name);
      const ways = this.isEarlyEnd(state)
        ? []
        : state.next.filter((next) => this.#depths.has(next));
      const [first, ...others] = ways;
      if (first === undefined) continue;
      const join = others.reduce((a, b) => this.#meet(a, b), first);
      this.#joins.set(name, join);
      this.#depths.set(name, (this.#depths.get(join) ?? 0) + 1);
    }
  }

  #meet(a: Stop, b: Stop): Stop {
    let left: Stop = a;
    let right: Stop = b;
    const depth = (stop: Stop): number => this.#depths.get(stop) ?? 0;
    while (left !== right) {
      if (depth(left) >= depth(right)) left = this.#joins.get(left) ?? END;
      else right = this.#joins.get(right) ?? END;
    }
    return left;
  }
}

function nextOf(value: JsonObject, type: string): readonly Stop[] {
  if (type === 'Fail') return [];
  if (type === 'Succeed') return [END];
  if (type === 'Choice') {
    const targets = [...listIn(value, 'Choices'), { Next: memberOf(value, 'Default') }];
    return targets.flatMap((target) => textIn(target, 'Next') ?? []);
  }
  const next = textIn(value, 'Next');
  const caught = listIn(value, 'Catch').flatMap((clause) => textIn(clause, 'Next') ?? []);
  return [next ?? END, ...caught];
}
