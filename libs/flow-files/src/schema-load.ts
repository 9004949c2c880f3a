/** The greatest cost of checking one value. */
export interface Load {
  /** Steps for each character, name and entry of the value. */
  readonly work: number;
  /** References to recursive definitions that apply to one and the same part of the value. */
  readonly turns: number;
}

export const NO_LOAD: Load = { work: 0, turns: 0 };

/** The load of two schemas that both apply to the same part of a value. */
export function both(a: Load, b: Load): Load {
  return { work: a.work + b.work, turns: a.turns + b.turns };
}

/** The load of two schemas that apply to different parts of a value. */
export function either(a: Load, b: Load): Load {
  return { work: Math.max(a.work, b.work), turns: Math.max(a.turns, b.turns) };
}

/**
 * The cost of a schema by the part of the value that it arises at. Members and entries of a value
 * have no part in common: of schemas for different members, the most expensive one counts and not
 * the sum.
 */
export class LoadMap {
  /** On the value itself, by this schema and all that apply to the same value. */
  own: Load = NO_LOAD;
  /** On entries of a list. */
  items: Load = NO_LOAD;
  /** On names of members. */
  names: Load = NO_LOAD;
  /** On any member. */
  members: Load = NO_LOAD;
  /** By member, in addition to `members`; below zero for a member that is exempt from those. */
  readonly #named = new Map<string, Load>();

  addOwn(work: number): void {
    this.own = { work: this.own.work + work, turns: this.own.turns };
  }

  addNamed(name: string, load: Load): void {
    this.#named.set(name, both(this.#named.get(name) ?? NO_LOAD, load));
  }

  /** Adds what another schema costs that applies to the same value. */
  add(other: LoadMap): void {
    this.own = both(this.own, other.own);
    this.items = both(this.items, other.items);
    this.names = both(this.names, other.names);
    this.members = both(this.members, other.members);
    for (const [name, load] of other.#named) this.addNamed(name, load);
  }

  /** The total cost of the schema. */
  total(): Load {
    let parts = either(either(this.items, this.names), this.members);
    for (const load of this.#named.values()) parts = either(parts, both(load, this.members));
    return both(this.own, parts);
  }
}
