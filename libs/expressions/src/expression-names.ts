import type { SyntaxNode, Visit } from './syntax-tree.js';

/** One use of a name. */
export interface NameUse {
  readonly name: string;
  /** Where it is written: 0-based, in the text with its marks. */
  readonly position: number;
}

/** One use of the name of a step. */
export interface StepUse extends NameUse {
  /** The member of its output that is read, if that is written out. */
  readonly member?: NameUse;
}

/** Which members of something an expression reads. */
export interface MembersRead {
  /** Every use of a name that is written out, in no order. */
  readonly named: readonly NameUse[];
  /** It is read as a whole too, or under names that only the evaluation knows. */
  readonly isReadWhole: boolean;
}

/** The names that an expression reads. */
export interface ExpressionNames {
  /** Members of the merged parameters: `fleet`, `$.fleet`, `$$.fleet`. */
  readonly parameters: MembersRead;
  /** `$input.fleet`. */
  readonly input: MembersRead;
  /** `$steps.create`, `$steps.create.host`. */
  readonly steps: MembersRead & { readonly named: readonly StepUse[] };
  /** `$state('create')`. */
  readonly states: MembersRead;
  /** `$env.REGION`. */
  readonly env: MembersRead;
  /** Whether it reads `$index`. */
  readonly usesIndex: boolean;
}

interface Members {
  readonly named: StepUse[];
  isReadWhole: boolean;
}

/** Gathers what the nodes of one expression look at; each is shown to it before its own nodes. */
export class NameCollector implements ExpressionNames {
  readonly parameters = nothing();
  readonly input = nothing();
  readonly steps = nothing();
  readonly states = nothing();
  readonly env = nothing();
  usesIndex = false;
  readonly #placeOf: (node: SyntaxNode) => number;
  /** Variables that the node around them has told of. */
  readonly #known = new Set<SyntaxNode>();

  constructor(placeOf: (node: SyntaxNode) => number) {
    this.#placeOf = placeOf;
  }

  add(visit: Visit): void {
    const { node, isOutside } = visit;
    if (node.type === 'path') this.#addPath(visit);
    else if (node.type === 'variable') this.#addVariable(visit);
    else if (node.type === 'function') this.#addCall(visit);
    else if (isOutside && /^(wildcard|descendant)$/.test(node.type)) {
      this.parameters.isReadWhole = true;
    }
  }

  /** `$steps.create`, and all else that begins with what is looked into. */
  #addPath({ node, isOutside }: Visit): void {
    const [first, second, third] = node.steps ?? [];
    if (first?.type === 'name') {
      if (isOutside) this.#name(this.parameters, first);
      return;
    }
    const members = first?.type === 'variable' ? this.#membersOf(first, isOutside) : undefined;
    if (members === undefined || second?.type !== 'name') return;
    this.#name(members, second, members === this.steps ? third : undefined);
    this.#known.add(first!);
  }

  #addVariable({ node, isOutside }: Visit): void {
    if (node.value === 'index') this.usesIndex = true;
    if (this.#known.has(node)) return;
    const members = node.value === 'state' ? this.states : this.#membersOf(node, isOutside);
    if (members !== undefined) members.isReadWhole = true;
  }

  #addCall({ node, isOutside }: Visit): void {
    const { procedure, arguments: [name, ...more] = [] } = node;
    if (procedure?.type !== 'variable') return;
    if (procedure.value === 'state' && name?.type === 'string' && more.length === 0) {
      this.#name(this.states, name);
      this.#known.add(procedure);
    }
    // A function that is given nothing works on what it sees.
    const seesAll = isOutside && name === undefined && procedure.value !== 'now';
    if (seesAll) this.parameters.isReadWhole = true;
  }

  #membersOf({ value }: SyntaxNode, isOutside: boolean): Members | undefined {
    if (value === '') return isOutside ? this.parameters : undefined;
    if (value === '$') return this.parameters;
    if (value === 'input') return this.input;
    if (value === 'steps') return this.steps;
    return value === 'env' ? this.env : undefined;
  }

  #name(members: Members, node: SyntaxNode, inner?: SyntaxNode): void {
    const member = inner?.type === 'name' && { member: this.#useOf(inner) };
    members.named.push({ ...this.#useOf(node), ...member });
  }

  #useOf(node: SyntaxNode): NameUse {
    return { name: String(node.value), position: this.#placeOf(node) };
  }
}

function nothing(): Members {
  return { named: [], isReadWhole: false };
}
