import type { SyntaxNode } from './syntax-tree.js';

/**
 * A part of an expression's result that it picks from lists. Several picked entries are a list, a
 * single one stands for itself, and none is nothing.
 */
export interface PickedPart {
  /** Behind its first token, in the code. */
  readonly position: number;
  /**
   * Names along the ways that it passes, such as `$steps`, `each`, `results`: if one of these is a
   * list, it picks. Null: it picks in any case.
   */
  readonly passed: readonly (readonly string[])[] | null;
}

/** Functions of the library whose list of one entry is the entry. */
const PICKING: ReadonlySet<unknown> = new Set(['filter', 'map', 'each', 'keys', 'match']);

/** Functions of the library that give no more of a list than they are given. */
const PASSING: ReadonlySet<unknown> = new Set(['distinct', 'reverse', 'sort']);

/** Functions of the library whose value is true or false. */
const CONDITIONS: ReadonlySet<unknown> = new Set(['boolean', 'contains', 'exists', 'not']);

/** The parts of a result that are picked from lists. Within a list of the result there is none. */
export function pickedParts(tree: SyntaxNode): readonly PickedPart[] {
  return [...partsOf(tree, new Map())];
}

/** Values of the variables that a block has given so far. */
type Given = Map<unknown, SyntaxNode>;

function* partsOf(node: SyntaxNode, given: Given): Generator<PickedPart> {
  const { position = 0, type, value } = node;
  if (type === 'path') yield* partsOfPath(node, given);
  else if (node.predicate !== undefined) yield* partsOfPath({ type: 'path', steps: [node] }, given);
  else if (type === 'wildcard' || type === 'descendant') yield { position, passed: null };
  else if (type === 'condition') {
    for (const side of [node.then, node.else]) if (side) yield* partsOf(side, given);
  } else if (type === 'block') yield* partsOfBlock(node, given);
  else if (type === 'variable' && given.has(value)) yield* partsOf(given.get(value)!, new Map());
  else if (type === 'apply' || isPassing(node)) {
    const inner = handedOn(node);
    if (inner !== undefined) yield* partsOf(inner, given);
  } else if (type === 'function' && PICKING.has(node.procedure?.value)) {
    yield { position, passed: null };
  } else if (type === 'unary' && value === '{') {
    for (const [, inner] of node.lhs as readonly (readonly [SyntaxNode, SyntaxNode])[]) {
      yield* partsOf(inner, given);
    }
  }
}

/** The part whose list is that of a whole chain, or of a function that passes it on. */
function handedOn({ arguments: values = [], lhs, rhs }: SyntaxNode): SyntaxNode | undefined {
  if (rhs === undefined) return values[0];
  return isPassing(rhs) ? (lhs as SyntaxNode) : rhs;
}

function isPassing({ procedure, type, value }: SyntaxNode): boolean {
  return type === 'function' ? PASSING.has(procedure?.value) : PASSING.has(value);
}

function* partsOfBlock({ expressions = [] }: SyntaxNode, around: Given): Generator<PickedPart> {
  const given = new Map(around);
  for (const { lhs, rhs, type } of expressions.slice(0, -1)) {
    if (type === 'bind' && rhs) given.set((lhs as SyntaxNode).value, rhs);
  }
  const last = expressions.at(-1);
  if (last !== undefined) yield* partsOf(last, given);
}

function* partsOfPath(path: SyntaxNode, given: Given): Generator<PickedPart> {
  const { group, keepSingletonArray, steps = [] } = path;
  if (group !== undefined || keepSingletonArray === true) return;
  const [first] = steps;
  if (first === undefined) return;
  const { position = 0 } = first;
  const walked = new Walk();
  for (const [n, step] of steps.entries()) {
    // Its filters are walked here.
    const plain: SyntaxNode = { ...step, predicate: undefined };
    walked.take(step, n === 0 ? partsOf(plain, given) : []);
  }
  if (walked.isPicked) yield { position, passed: null };
  else if (walked.passed.length > 0) yield { position, passed: walked.passed };
}

/** A path, step by step: what it may have picked so far. */
class Walk {
  isPicked = false;
  passed: string[][] = [];
  #names: string[] | null = [];

  take(step: SyntaxNode, parts: Iterable<PickedPart>): void {
    const { type, value } = step;
    const isFirst = this.#names?.length === 0;
    // Whatever it passed may be a list: each entry then has the next name.
    if (!isFirst && this.#names !== null) this.passed.push([...this.#names]);
    const inner = [...parts];
    if (type === 'wildcard' || type === 'descendant' || type === 'sort') this.isPicked = true;
    if (inner.some(({ passed }) => passed === null)) this.isPicked = true;
    this.passed.push(...inner.flatMap(({ passed }) => (passed ?? []).map((one) => [...one])));
    if (type === 'name') this.#names?.push(String(value));
    else if (type === 'variable') this.#names?.push(...(value === '' ? [] : [`$${String(value)}`]));
    else this.#names = null;
    for (const { expr } of [...(step.stages ?? []), ...(step.predicate ?? [])]) {
      if (expr !== undefined) this.#filter(expr, isFirst || type === 'sort');
    }
  }

  /** A number takes one entry: of all so far, if the filter stands at the first step. */
  #filter(by: SyntaxNode, isOfAll: boolean): void {
    if (isCondition(by)) {
      this.isPicked = true;
    } else if (isOfAll) {
      this.isPicked = false;
      this.passed = [];
      this.#names = null;
    }
  }
}

/** Whether a filter keeps what it holds for; a name or a variable may be a number too. */
function isCondition({ procedure, type, value }: SyntaxNode): boolean {
  if (type === 'function') return CONDITIONS.has(procedure?.value);
  return type === 'binary' && !/^[-+*/%]$/.test(String(value));
}
