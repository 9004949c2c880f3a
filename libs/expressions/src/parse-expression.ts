import jsonata from 'jsonata';
import { nearName, plainLine } from '#wording';
import { type ExpressionNames, NameCollector } from './expression-names.js';
import { FORBIDDEN_FUNCTIONS, FUNCTIONS, SCENE_VARIABLES } from './known-variables.js';
import { type MarkedCode, takeMarksOff } from './marks.js';
import { type PickedPart, pickedParts } from './picked-parts.js';
import {
  innerVisits,
  passedBy,
  type SyntaxNode,
  variablesGivenBy,
  type Visit,
} from './syntax-tree.js';

const REASON_MAX = 200;

/** Most characters of an expression, marks included. */
export const EXPRESSION_LENGTH_MAX = 16 * 1024;

/** Most nodes of an expression that may be inside each other, and most calls at a time. */
export const EXPRESSION_DEPTH_MAX = 500;

/** Why it may not be deeper. */
export const TOO_DEEP = `more than ${EXPRESSION_DEPTH_MAX} parts are inside each other`;

/** An expression that is well formed, and what it looks at. */
export interface ParsedExpression {
  /** The code between the marks. */
  readonly source: string;
  readonly names: ExpressionNames;
  /**
   * Of one that only names its value, such as `$input.hosts`: the expressions for what it
   * passes on its way, marks included, outermost first. Null: it may pick from what it reads, so
   * that one entry, or nothing, stands for a list of several.
   */
  readonly passed: readonly string[] | null;
  /**
   * Looks for the parts of its result that are a list, an entry or nothing, by how many it finds.
   * Only the checks of flows ask, and expressions are read where tasks evaluate them, too.
   */
  readonly picked: () => readonly PickedPart[];
}

/** Why a text is no expression that may be asked for. */
export interface ExpressionFault {
  /** Where: 0-based, in the text with its marks. */
  readonly position: number;
  /** For people: one line, without a full stop. */
  readonly message: string;
}

/**
 * Reads an expression as it stands in a flow, `{% ... %}` with its marks, without evaluating it. A
 * fault is everything that could be known about it without a task: what does not parse, a variable
 * or a function that nobody knows, and functions that read time or chance. Never throws.
 */
export function parseExpression(text: string): ParsedExpression | ExpressionFault {
  if (text.length > EXPRESSION_LENGTH_MAX) {
    return fault(0, `it has ${text.length} characters, at most ${EXPRESSION_LENGTH_MAX}`);
  }
  const marked = takeMarksOff(text);
  if (marked === null) return fault(0, 'write {% before the expression and %} behind it');
  try {
    const tree = jsonata(marked.code).ast() as SyntaxNode;
    return new Reading(marked).read(tree);
  } catch (error) {
    // The parser goes as deep as the code does.
    if (error instanceof RangeError) return fault(marked.start, TOO_DEEP);
    return libraryFault(error, marked);
  }
}

/** One reading of a tree. */
class Reading {
  readonly #marked: MarkedCode;
  readonly #names = new NameCollector((node) => this.#placeOf(node));
  readonly #given = new Set<string>();
  readonly #read: SyntaxNode[] = [];
  #fault: ExpressionFault | null = null;

  constructor(marked: MarkedCode) {
    this.#marked = marked;
  }

  read(tree: SyntaxNode): ParsedExpression | ExpressionFault {
    const waiting: Visit[] = [{ node: tree, isOutside: true, depth: 1 }];
    for (let visit = waiting.pop(); visit !== undefined; visit = waiting.pop()) {
      if (visit.depth > EXPRESSION_DEPTH_MAX) {
        return fault(this.#placeOf(visit.node), TOO_DEEP);
      }
      this.#visit(visit);
      for (const inner of innerVisits(visit)) waiting.push(inner);
    }
    for (const node of this.#read) this.#checkRead(node);
    const { code } = this.#marked;
    const ends = passedBy(tree);
    const passed = ends?.map((end) => `{% ${code.slice(0, end)} %}`) ?? null;
    const picked = (): readonly PickedPart[] => pickedParts(tree);
    return this.#fault ?? { source: code, names: this.#names, passed, picked };
  }

  #visit(visit: Visit): void {
    const { node } = visit;
    this.#names.add(visit);
    if (node.type === 'variable') this.#read.push(node);
    for (const name of variablesGivenBy(node)) {
      this.#given.add(name);
      if (SCENE_VARIABLES.includes(name)) {
        this.#tell(node, `$${name} is given by the task: use another name`);
      }
    }
  }

  /** Whether anything can be known by this name. */
  #checkRead(node: SyntaxNode): void {
    const name = String(node.value);
    const forbidden = FORBIDDEN_FUNCTIONS.get(name);
    if (forbidden !== undefined) return this.#tell(node, `$${name} is not there: ${forbidden}`);
    if (name === '' || name === '$' || this.#given.has(name)) return;
    if (SCENE_VARIABLES.includes(name) || FUNCTIONS.includes(name)) return;
    const near = nearName(name, [...SCENE_VARIABLES, ...FUNCTIONS, ...this.#given]);
    const hint = near === undefined ? '' : `: did you mean $${near}?`;
    this.#tell(node, `nothing is known as $${name}${hint}`);
  }

  /** The fault that stands first in the text is the one that is told. */
  #tell(node: SyntaxNode, message: string): void {
    const found = fault(this.#placeOf(node), message);
    if (this.#fault === null || found.position < this.#fault.position) this.#fault = found;
  }

  /** Where a node begins. The library says where its first token ends. */
  #placeOf({ type, value, position = 0 }: SyntaxNode): number {
    const written = typeof value === 'string' ? value.length : 1;
    const { code, start } = this.#marked;
    const isQuoted = /["'`]/.test(code.charAt(position - 1));
    const signs = type === 'variable' ? 1 : isQuoted ? 2 : 0;
    return start + Math.max(0, position - written - signs);
  }
}

/** The library throws plain objects; errors of JavaScript itself have no position. */
export function libraryFault(error: unknown, { code, start }: MarkedCode): ExpressionFault {
  const { message, position, token } = error as Partial<Record<string, unknown>>;
  const end = typeof position === 'number' ? position : 0;
  const isToken = typeof token === 'string' && code.endsWith(token, end);
  return fault(start + (isToken ? end - token.length : end), String(message));
}

function fault(position: number, message: string): ExpressionFault {
  return { position, message: reasonLine(message) };
}

/** A reason as people are told it: one line of a length to be read. */
function reasonLine(reason: string): string {
  const line = plainLine(reason.slice(0, 4 * REASON_MAX));
  return line.length > REASON_MAX ? `${line.slice(0, REASON_MAX)}...` : line;
}
