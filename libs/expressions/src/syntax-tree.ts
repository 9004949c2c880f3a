/** A node of the tree that the library makes of an expression: the members that are read here. */
export interface SyntaxNode {
  readonly type: string;
  /** Of a name, a variable or a literal: what it says. */
  readonly value?: unknown;
  /** Behind its first token. */
  readonly position?: number;
  readonly steps?: readonly SyntaxNode[];
  readonly stages?: readonly Stage[];
  readonly predicate?: readonly Stage[] | undefined;
  /** Of a path that ends with `[]`: its result is a list also of one entry. */
  readonly keepSingletonArray?: boolean;
  readonly group?: { readonly lhs: readonly Pair[] };
  readonly lhs?: SyntaxNode | readonly Pair[];
  readonly rhs?: SyntaxNode;
  readonly expression?: SyntaxNode;
  readonly expressions?: readonly SyntaxNode[];
  readonly arguments?: readonly SyntaxNode[];
  readonly procedure?: SyntaxNode;
  readonly condition?: SyntaxNode;
  readonly then?: SyntaxNode;
  readonly else?: SyntaxNode;
  readonly body?: SyntaxNode;
  readonly terms?: readonly { readonly expression: SyntaxNode }[];
  readonly pattern?: SyntaxNode;
  readonly update?: SyntaxNode;
  readonly delete?: SyntaxNode;
  /** Name of a variable that a step gives to its value (`@$name`). */
  readonly focus?: string;
  /** Name of a variable that a step gives to its position (`#$name`). */
  readonly index?: string;
}

interface Stage {
  readonly expr?: SyntaxNode;
  /** Of `#$name` after a filter: the name. */
  readonly value?: unknown;
}

type Pair = readonly [SyntaxNode, SyntaxNode];

/** A node and from where it is looked at. */
export interface Visit {
  readonly node: SyntaxNode;
  /** Whether its names are members of the parameters, and not of some value inside them. */
  readonly isOutside: boolean;
  /** Nodes around it. */
  readonly depth: number;
}

/**
 * A node's own nodes. The library's evaluation decides which of them see what their node sees:
 * steps after the first, filters, groups and sort terms see the value before them.
 */
export function innerVisits({ node, isOutside, depth }: Visit): Visit[] {
  const same = [...pathStart(node), ...operands(node)];
  const other = [...restOfPath(node), ...filters(node), ...transformed(node)];
  const visit = (inner: SyntaxNode, outside: boolean): Visit => ({
    node: inner,
    isOutside: outside,
    depth: depth + 1,
  });
  return [
    ...same.map((inner) => visit(inner, isOutside)),
    ...other.map((inner) => visit(inner, false)),
  ];
}

/** Nodes that have a value of their own, however many entries anything else has. */
const PLAIN: ReadonlySet<string> = new Set([
  'variable',
  'name',
  'string',
  'number',
  'value',
  'unary',
]);

/**
 * Where the steps end that a plain path of names passes on its way, in the code; none for a plain
 * value. Null: it is neither, so that it may pick from lists.
 */
export function passedBy(node: SyntaxNode): readonly number[] | null {
  if (!isPlain(node)) return null;
  if (node.type !== 'path') return [];
  const { steps = [] } = node;
  if (!steps.every((step) => isPlain(step) && step.type !== 'unary')) return null;
  return steps.slice(0, -1).map(({ position = 0 }) => position);
}

function isPlain({ focus, group, index, predicate, stages, type }: SyntaxNode): boolean {
  if (type !== 'path' && !PLAIN.has(type)) return false;
  return [focus, group, index, predicate, stages].every((part) => part === undefined);
}

/** Variables that a node gives a value, which every other part of the expression may then read. */
export function variablesGivenBy(node: SyntaxNode): readonly string[] {
  const given = [node.focus, node.index];
  for (const { expr, value } of node.stages ?? []) if (!expr) given.push(value as string);
  if (node.type === 'bind') given.push((node.lhs as SyntaxNode).value as string);
  if (node.type === 'lambda') {
    for (const parameter of node.arguments ?? []) given.push(parameter.value as string);
  }
  return given.filter((name) => name !== undefined);
}

function pathStart({ steps }: SyntaxNode): readonly SyntaxNode[] {
  return steps?.slice(0, 1) ?? [];
}

function restOfPath({ steps }: SyntaxNode): readonly SyntaxNode[] {
  return steps?.slice(1) ?? [];
}

function operands(node: SyntaxNode): readonly SyntaxNode[] {
  const { lhs, rhs, procedure, condition, then, else: otherwise, body, expression } = node;
  const left = node.type === 'bind' || lhs === undefined ? [] : sideNodes(lhs);
  const parameters = node.type === 'lambda' ? [] : (node.arguments ?? []);
  const single = [rhs, procedure, condition, then, otherwise, body, expression];
  return [...left, ...parameters, ...(node.expressions ?? []), ...present(single)];
}

function filters({ stages, predicate, group, terms }: SyntaxNode): readonly SyntaxNode[] {
  const conditions = [...(stages ?? []), ...(predicate ?? [])].map(({ expr }) => expr);
  const order = (terms ?? []).map(({ expression }) => expression);
  return [...present(conditions), ...(group?.lhs.flat() ?? []), ...order];
}

function transformed({ type, pattern, update, delete: removed }: SyntaxNode): SyntaxNode[] {
  return type === 'transform' ? present([pattern, update, removed]) : [];
}

function sideNodes(side: SyntaxNode | readonly Pair[]): readonly SyntaxNode[] {
  return Array.isArray(side) ? (side as readonly Pair[]).flat() : [side as SyntaxNode];
}

function present(nodes: readonly (SyntaxNode | undefined)[]): SyntaxNode[] {
  return nodes.filter((node) => node !== undefined);
}
