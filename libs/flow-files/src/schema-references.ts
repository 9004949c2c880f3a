import type { JsonObject, JsonValue } from '#core';
import { clip, isObject } from './read-json.js';
import type { Finding } from './problem.js';
import { costOf, type Load, partsInPlace, partsOf } from './schema-cost.js';

/** Most steps that a schema may take for each character of what it checks. */
const WORK_MAX = 50_000;

const ROOT = '#';

/**
 * The references of one schema, from its root and its `$defs` to these. They make it possible that
 * a short schema takes time without end, so what it costs at most is worked out before it is run.
 */
export class SchemaReferences {
  /** The root and all definitions, by what refers to them. */
  readonly #homes: ReadonlyMap<string, JsonValue>;
  readonly #targets = new Map<string, readonly string[]>();
  readonly #reached = new Map<string, ReadonlySet<string>>();
  readonly #work = new Map<string, number>();

  constructor(schema: JsonObject) {
    const definitions = isObject(schema['$defs']) ? schema['$defs'] : {};
    const named = Object.entries(definitions).map(([name, part = null]) => {
      return [`#/$defs/${name}`, part] as const;
    });
    this.#homes = new Map([[ROOT, schema], ...named]);
    for (const [home, part] of this.#homes) this.#targets.set(home, referencesIn(part));
    for (const home of this.#homes.keys()) this.#reached.set(home, this.#reach(home));
  }

  has(target: string): boolean {
    return this.#homes.has(target);
  }

  /** Why the schema could take time without end; null: it cannot. Call before `work`. */
  findFault(): Finding | null {
    for (const [home, part] of this.#homes) {
      if (!this.#isRing(home)) continue;
      if (this.#leadsBackInPlace(home)) return endless(home);
      const { turns } = costOf(part, (to) => this.#costOfReference(to, home)).total();
      if (turns > 1) return multiplying(home);
    }
    return this.work() > WORK_MAX ? TOO_COSTLY : null;
  }

  /** Most steps that the schema takes for each character, name and entry of what it checks. */
  work(): number {
    return this.#workOf(ROOT);
  }

  #workOf(home: string): number {
    const known = this.#work.get(home);
    if (known !== undefined) return known;
    // On any part of a value, each definition of a ring is applied at most once.
    const ring = this.#isRing(home) ? this.#ringOf(home) : [home];
    const work = ring.reduce((sum, each) => {
      const load = costOf(this.#homes.get(each), (to) => this.#costOfReference(to, each));
      return sum + load.total().work;
    }, 0);
    for (const each of ring) this.#work.set(each, work);
    return work;
  }

  /** A definition in the same ring costs one step here: the ring counts it. */
  #costOfReference(to: string, home: string): Load {
    const isInRing = this.#isRing(home) && this.#reaches(to, home);
    const isTurn = this.#isRing(home) && this.#leadsToRing(to);
    return { work: isInRing ? 1 : this.#workOf(to), turns: isTurn ? 1 : 0 };
  }

  #ringOf(home: string): readonly string[] {
    const reached = this.#reached.get(home) ?? [];
    return [...reached].filter((each) => this.#reaches(each, home));
  }

  #isRing(home: string): boolean {
    return this.#reaches(home, home);
  }

  #reaches(from: string, to: string): boolean {
    return this.#reached.get(from)?.has(to) ?? false;
  }

  #leadsToRing(home: string): boolean {
    return [home, ...(this.#reached.get(home) ?? [])].some((each) => this.#isRing(each));
  }

  #reach(home: string): ReadonlySet<string> {
    const reached = new Set(this.#targets.get(home));
    for (const each of reached) {
      for (const next of this.#targets.get(each) ?? []) reached.add(next);
    }
    return reached;
  }

  /** Whether checking a value leads back to checking the very same value. */
  #leadsBackInPlace(home: string): boolean {
    const reached = new Set(referencesInPlace(this.#homes.get(home)));
    for (const each of reached) {
      if (each === home) return true;
      for (const next of referencesInPlace(this.#homes.get(each))) reached.add(next);
    }
    return false;
  }
}

/** All references inside a schema, but for those under `$defs`. */
function referencesIn(schema: JsonValue | undefined): readonly string[] {
  return [...ownReference(schema), ...partsOf(schema).flatMap(referencesIn)];
}

function referencesInPlace(schema: JsonValue | undefined): readonly string[] {
  return [...ownReference(schema), ...partsInPlace(schema).flatMap(referencesInPlace)];
}

function ownReference(schema: JsonValue | undefined): readonly string[] {
  return isObject(schema) && typeof schema['$ref'] === 'string' ? [schema['$ref']] : [];
}

function endless(home: string): Finding {
  const message = `\`${clip(home)}\` refers to itself without end: the same value is checked again.`;
  const hint = 'Refer to it from a member or an entry only.';
  return { pointer: '', code: 'WRONG_INPUT_SCHEMA', message, hint };
}

function multiplying(home: string): Finding {
  const message = `\`${clip(home)}\` leads back to itself more than once for one and the same value.`;
  const hint = 'Each level would multiply the work. Let only one branch lead to each member.';
  return { pointer: '', code: 'WRONG_INPUT_SCHEMA', message, hint };
}

const TOO_COSTLY: Finding = {
  pointer: '',
  code: 'WRONG_INPUT_SCHEMA',
  message: 'Checking parameters by this schema would take too long.',
  hint: 'Refer to each definition less often, and write smaller patterns and fewer choices.',
};

/** The finding about a reference to a definition that does not exist. */
export function unknownTarget(to: string, pointer: string): Finding {
  const message = `The schema refers to \`${clip(to)}\`, which is not there.`;
  const hint = 'Define it under `$defs` of `input` and refer to it as "#/$defs/<name>".';
  return { pointer, code: 'WRONG_INPUT_SCHEMA', message, hint };
}
