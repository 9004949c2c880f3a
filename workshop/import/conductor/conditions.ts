import { at, checked, enclosed, literal, type Segment, unwritten } from '../code.js';
import { below, clip, memberOf, objectIn, textIn } from '../source.js';
import { codeOfValue, ofTask, type Sight } from './references.js';
import type { TaskNode } from './workflow-tree.js';

/** Translates `$.name...` in a script to JSONata; null: it has no equivalent. */
type ReadName = (path: readonly Segment[]) => string | null;

const DEPTH_MAX = 20;

const SIGNS: ReadonlyMap<string, string> = new Map([
  ['===', '='],
  ['==', '='],
  ['!==', '!='],
  ['!=', '!='],
  ['&&', 'and'],
  ['||', 'or'],
  ...['<=', '>=', '<', '>', '+', '-', '*', '/', '%'].map((sign): [string, string] => [sign, sign]),
]);

/** JSONata for the value by which a switch chooses its case; a note where it cannot be said. */
export function caseCode(node: TaskNode, sight: Sight): string {
  const { value } = node;
  const parameter = textIn(value, 'caseValueParam');
  const script = textIn(value, 'caseExpression');
  const expression = textIn(value, 'expression') ?? script ?? '';
  const isParameter = parameter !== undefined || textIn(value, 'evaluatorType') === 'value-param';
  if (isParameter) return inputCode(node, [parameter ?? expression], sight) ?? '""';
  return scriptCode(node, expression, { sight, read: (path) => inputCode(node, path, sight) });
}

/** Whether another round follows. In the script tasks of the loop are known by their names. */
export function loopCondition(node: TaskNode, sight: Sight): string {
  const inner = node.lists[0] ?? node.list;
  const within: Sight = { ...sight, list: inner, task: null };
  const read = (path: readonly Segment[]): string | null => {
    const [ref, ...rest] = path;
    const task = typeof ref === 'string' ? sight.tree.find(ref) : undefined;
    if (task === undefined) return inputCode(node, path, within);
    // Other engines write `$.task.output.member` for what Conductor calls `$.task['member']`.
    const output = rest[0] === 'output' && rest.length > 1 ? rest : ['output', ...rest];
    return ofTask(task, output, within);
  };
  const script = textIn(node.value, 'loopCondition') ?? '';
  return checked(scriptCode(node, script, { sight, read }), {
    notes: sight.notes,
    pointer: below(node.pointer, 'loopCondition'),
  });
}

/** The code for `$.name` in a script, which names an input parameter of the task. */
function inputCode(node: TaskNode, path: readonly Segment[], sight: Sight): string | null {
  const [name, ...rest] = path;
  const inputs = objectIn(node.value, 'inputParameters');
  const value = memberOf(inputs, String(name));
  if (value === undefined) return null;
  const pointer = below(below(node.pointer, 'inputParameters'), String(name));
  const code = codeOfValue({ value, pointer }, sight);
  return at(enclosed(code), rest);
}

interface Reading {
  readonly sight: Sight;
  readonly read: (path: readonly Segment[]) => string | null;
}

function scriptCode({ pointer }: TaskNode, script: string, { read, sight }: Reading): string {
  const code = readScript(script, read);
  if (code !== null) return code;
  const message = `The script \`${clip(script)}\` could not be translated. Write it as JSONata.`;
  sight.notes.add(pointer, 'EXPRESSION_NOT_CARRIED', message);
  return unwritten(script);
}

/**
 * JSONata for a script as conditions of Conductor are written: comparisons of paths and constants,
 * `&&`, `||`, `? :`, and `if (...) {a;} else {b;}`. Null: it says more than that.
 */
function readScript(text: string, readName: ReadName): string | null {
  const reader = new ScriptReader(text.slice(0, 10_000), readName);
  const code = reader.statement(0);
  return code !== null && reader.isAtEnd() ? code : null;
}

/** Reads a script from left to right. */
class ScriptReader {
  #place = 0;

  constructor(
    private readonly text: string,
    private readonly readName: ReadName,
  ) {}

  isAtEnd(): boolean {
    this.#take(/[\s;]*/y);
    return this.#place === this.text.length;
  }

  statement(depth: number): string | null {
    if (depth > DEPTH_MAX) return null;
    if (this.#take(/\s*if\b/y) === null) {
      this.#take(/\s*return\b/y);
      const code = this.#choice(depth);
      this.#take(/\s*;/y);
      return code;
    }
    const condition = this.#taken(/\s*\(/y) ? this.#choice(depth + 1) : null;
    if (condition === null || !this.#taken(/\s*\)/y)) return null;
    const then = this.#block(depth + 1);
    if (then === null || !this.#taken(/\s*else\b/y)) return null;
    const other = this.#block(depth + 1);
    if (other === null) return null;
    if (then === 'true' && other === 'false') return condition;
    return `(${condition} ? ${then} : ${other})`;
  }

  #block(depth: number): string | null {
    if (!this.#taken(/\s*\{/y)) return this.statement(depth);
    const code = this.statement(depth);
    return code !== null && this.#taken(/\s*\}/y) ? code : null;
  }

  #choice(depth: number): string | null {
    const condition = this.#chain(depth);
    if (condition === null || !this.#taken(/\s*\?(?![.?])/y)) return condition;
    const then = this.#choice(depth + 1);
    if (then === null || !this.#taken(/\s*:/y)) return null;
    const other = this.#choice(depth + 1);
    return other === null ? null : `(${condition} ? ${then} : ${other})`;
  }

  /** Of signs next to each other both languages bind alike. */
  #chain(depth: number): string | null {
    let code = this.#operand(depth);
    for (;;) {
      const sign = this.#take(/\s*(===|!==|==|!=|<=|>=|&&|\|\||[<>+\-*/%])/y)?.trim();
      if (code === null || sign === undefined) return code;
      const right = this.#operand(depth);
      if (right === null) return null;
      code = `${code} ${SIGNS.get(sign) ?? sign} ${right}`;
    }
  }

  #operand(depth: number): string | null {
    if (depth > DEPTH_MAX) return null;
    if (this.#taken(/\s*!(?!=)/y)) {
      const inner = this.#operand(depth + 1);
      return inner === null ? null : `$not(${inner})`;
    }
    if (this.#taken(/\s*\(/y)) {
      const inner = this.#choice(depth + 1);
      return inner !== null && this.#taken(/\s*\)/y) ? `(${inner})` : null;
    }
    const constant = this.#take(/\s*(?:-?\d+(?:\.\d+)?|true\b|false\b)/y);
    if (constant !== null) return constant.trim();
    const text = this.#take(/\s*(?:'[^'\\\n]*'|"[^"\\\n]*")/y)?.trim();
    if (text !== undefined) return literal(text.slice(1, -1));
    return this.#taken(/\s*\$(?=[.[])/y) ? this.#path() : null;
  }

  #path(): string | null {
    const path: Segment[] = [];
    for (;;) {
      const part = this.#take(/\.[A-Za-z_]\w*|\[\s*(?:'[^'\\]*'|"[^"\\]*"|\d{1,9})\s*\]/y);
      if (part === null) break;
      const inner = part.replace(/^[.[]\s*|\s*\]$/g, '');
      path.push(/^\d+$/.test(inner) ? Number(inner) : inner.replace(/^['"]|['"]$/g, ''));
    }
    if (this.#take(/\s*\(/y) !== null) return null;
    return path.length === 0 ? null : this.readName(path);
  }

  #taken(pattern: RegExp): boolean {
    return this.#take(pattern) !== null;
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#place;
    const found = pattern.exec(this.text)?.[0] ?? null;
    if (found !== null) this.#place += found.length;
    return found;
  }
}
