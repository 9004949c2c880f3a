import jsonata from 'jsonata';
import { namesOfTypes } from '#kinds';
import { isExpression, takeMarksOff } from '../marks.js';
import { innerVisits, type SyntaxNode, type Visit } from '../syntax-tree.js';

/** Deeper, a result is refused anyway. */
const DEPTH_MAX = 200;

/** Members of steps that hold parts of steps; all other members hold values. */
const PARTS = namesOfTypes(new Set(['steps', 'object of', 'action', 'undo']));

/** Members whose members are lists of steps. */
const BRANCHES = namesOfTypes(new Set(['branches']));

/** Where a part of the result stands. */
type Place = 'step' | 'branches' | 'value';

/** The expression that made steps. */
interface Maker {
  /** With its marks. */
  readonly text: string;
  /** The values that it could take from: of JSON. */
  readonly data: readonly unknown[];
}

/**
 * Steps that are the value of an expression, in which data stay data: a text that it put into a
 * step of its own making is no expression, even if it looks like one, so that the sender of a text
 * cannot write a part of the flow. The text is replaced by an expression whose value it is.
 * Expressions are only those whose beginning the expression itself writes, and those in steps,
 * actions and other parts that the data have whole.
 */
export function withDataKept(result: unknown, maker: Maker): unknown {
  return new Keeping(maker).keep(result, 'step', 0);
}

class Keeping {
  readonly #maker: Maker;
  readonly #kept = { step: new Map(), branches: new Map(), value: new Map() } satisfies Record<
    Place,
    Map<object, unknown>
  >;
  #written: readonly string[] | null = null;
  #inData: ReadonlySet<object> | null = null;

  constructor(maker: Maker) {
    this.#maker = maker;
  }

  keep(value: unknown, place: Place, depth: number): unknown {
    if (typeof value === 'string') return this.#isData(value) ? quoted(value) : value;
    if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return value;
    if ('_jsonata_lambda' in value || '_jsonata_function' in value) return value;
    // The same value may stand in many places.
    const kept: Map<object, unknown> = this.#kept[place];
    const known = kept.get(value);
    if (known !== undefined) return known;
    const made = this.#keepInner(value, place, depth + 1);
    kept.set(value, made);
    return made;
  }

  #keepInner(value: object, place: Place, depth: number): unknown {
    if (Array.isArray(value)) {
      return Array.from(value, (entry) => this.keep(entry, place, depth));
    }
    if (place !== 'value' && this.#objects().has(value)) return value;
    const members = Object.entries(value);
    return Object.fromEntries(
      members.map(([name, member]) => [name, this.keep(member, within(place, name), depth)]),
    );
  }

  #isData(text: string): boolean {
    if (!isExpression(text)) return false;
    this.#written ??= writtenTexts(this.#maker.text).filter((one) => /^\s*\{%/.test(one));
    return !this.#written.some((beginning) => text.startsWith(beginning));
  }

  /** The objects of the data. */
  #objects(): ReadonlySet<object> {
    return (this.#inData ??= objectsIn(this.#maker.data));
  }
}

function within(place: Place, member: string): Place {
  if (place === 'value') return 'value';
  if (place === 'branches') return 'step';
  if (BRANCHES.has(member)) return 'branches';
  return PARTS.has(member) ? 'step' : 'value';
}

function objectsIn(data: readonly unknown[]): ReadonlySet<object> {
  const found = new Set<object>();
  const waiting = [...data];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null || found.has(value)) continue;
    found.add(value);
    for (const member of Object.values(value)) waiting.push(member);
  }
  return found;
}

/** An expression whose value is a text. */
function quoted(text: string): string {
  return `{% ${JSON.stringify(text)} %}`;
}

/** The texts that a well-formed expression, marks included, has in quotes. */
function writtenTexts(text: string): readonly string[] {
  const node = jsonata(takeMarksOff(text)?.code ?? '""').ast() as SyntaxNode;
  const found: string[] = [];
  const waiting: Visit[] = [{ node, isOutside: true, depth: 1 }];
  for (let visit = waiting.pop(); visit !== undefined; visit = waiting.pop()) {
    const { type, value } = visit.node;
    if (type === 'string') found.push(String(value));
    waiting.push(...innerVisits(visit));
  }
  return found;
}
