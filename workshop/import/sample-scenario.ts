import type { JsonObject, JsonValue } from '#core';
import { readJson } from '#json';
import { isObject } from './source.js';

/** Request parameters and answers of commands that an imported flow can be tested with. */
export interface SampleScenario {
  /** A member for everything that its expressions read of the input. */
  readonly parameters: JsonObject;
  /** By the name of a step: the output that later expressions depend on. */
  readonly answers: Readonly<Record<string, { readonly output: JsonObject }>>;
}

const PATH = /\$(input|steps)((?:\.(?:[A-Za-z_]\w*|`[^`]+`))+)/g;

/** A value that an expression can work with. */
interface Hint {
  readonly value: JsonValue;
  /** It follows from the expression, so that another value may have it fail. */
  readonly isSure: boolean;
}

/** Where a value is read: the code around it, and the names of the members that this stands in. */
interface Use {
  readonly before: string;
  readonly after: string;
  readonly keys: readonly string[];
}

/** A day after the moment at which tests begin. */
const MOMENT = '2030-01-02T00:00:00Z';

/** One task that is data, as the import writes them for a command that works them out. */
const TASKS: JsonValue = [{ name: 'sample', taskReferenceName: 'sample' }];

const COMPARED = /^\)*\s*(!=|<=|>=|=|<|>)\s*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false)?/;

const OPPOSITE: Readonly<Record<string, string>> = {
  '=': '!=',
  '!=': '=',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
};

/**
 * A sample of what an imported flow works on: sources do not say what types their parameters have,
 * so values are such as its conditions compare with. A flow that is called and not `known` is
 * answered for. Pure; a person may have to correct it.
 */
export function sampleScenario(flow: JsonObject, known: ReadonlySet<string>): SampleScenario {
  const sampling = new Sampling(known);
  sampling.walk(flow, []);
  return { parameters: sampling.parameters, answers: sampling.answers };
}

class Sampling {
  readonly parameters: Record<string, JsonValue> = {};
  readonly answers: Record<string, { output: Record<string, JsonValue> }> = {};
  readonly #answering = new Set<string>();

  constructor(private readonly known: ReadonlySet<string>) {}

  /** `keys`: the names of the members around a value, outermost first. */
  walk(value: JsonValue | undefined, keys: readonly string[]): void {
    if (typeof value === 'string') this.#read(value, keys);
    else if (Array.isArray(value)) for (const one of value as JsonValue[]) this.walk(one, keys);
    else if (isObject(value)) this.#walkObject(value, keys);
  }

  #walkObject(value: JsonObject, keys: readonly string[]): void {
    const { flow, name } = value;
    if (typeof name === 'string') {
      if (value['normal'] !== undefined) this.#answering.add(name);
      const child = isObject(flow) ? flow['name'] : undefined;
      if (typeof child === 'string' && !this.known.has(child)) {
        this.#answering.add(name);
        this.answers[name] = { output: {} };
      }
    }
    for (const [key, inner] of Object.entries(value)) this.walk(inner, [...keys, key]);
  }

  #read(text: string, keys: readonly string[]): void {
    if (!text.startsWith('{%')) return;
    for (const match of text.matchAll(PATH)) {
      const [path, root, rest = ''] = match;
      const before = text.slice(2, match.index).trimEnd();
      const after = text.slice(match.index + path.length, -2).trimStart();
      const names = [...rest.matchAll(/\.(?:`([^`]+)`|(\w+))/g)].map(([, a, b]) => a ?? b ?? '');
      const hint = hintOf({ before, after, keys });
      if (root === 'input') put(this.parameters, names, hint ?? { value: 'sample', isSure: false });
      else if (hint !== null) this.#answer(names, hint);
    }
  }

  #answer([step = '', ...names]: readonly string[], hint: Hint): void {
    if (!this.#answering.has(step) || names.length === 0) return;
    const answer = (this.answers[step] ??= { output: {} });
    const isChild = names[0] === 'output' && names.length > 1;
    put(answer.output, isChild ? names.slice(1) : names, hint);
  }
}

/** The first that is sure stays, and an object that something is read of. */
function put(target: Record<string, JsonValue>, names: readonly string[], hint: Hint): void {
  const [name = '', ...rest] = names;
  const there = Object.hasOwn(target, name) ? target[name] : undefined;
  if (rest.length > 0) {
    const inner = (isObject(there) ? { ...there } : {}) as Record<string, JsonValue>;
    put(inner, rest, hint);
    define(target, name, inner);
  } else if (there === undefined || (hint.isSure && there === 'sample')) {
    define(target, name, hint.value);
  }
}

/** Also of a name that an object has from the start. */
function define(target: object, name: string, value: JsonValue): void {
  Object.defineProperty(target, name, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
}

/** The value that one use asks for; null: any. */
function hintOf({ after, before, keys }: Use): Hint | null {
  const sure = (value: JsonValue): Hint => ({ value, isSure: true });
  const key = keys.at(-1) ?? '';
  const isWhole = before === '' && after === '';
  if (isWhole && key === 'in') return sure(['sample']);
  if (isWhole && keys.at(-2) === 'wait') return key === 'for' ? sure(1) : sure(MOMENT);
  if (isWhole && /^(?:when|while|until|if)$/.test(key)) return sure(key !== 'while');
  if (/^\)*\.\{taskReferenceName:/.test(after)) return sure(TASKS);
  if (before.endsWith('$lookup(')) return sure({});
  if (/^\)*\s*&/.test(after) || before.endsWith('&')) return sure('sample');
  const [, operator, literal] = COMPARED.exec(after) ?? [];
  if (operator !== undefined && literal !== undefined) {
    // The fewest rounds that a loop can have.
    const wanted = key === 'while' ? OPPOSITE[operator] : operator;
    return sure(holding(wanted ?? operator, literalOf(literal)));
  }
  const isCalculated = /^\)*\s*[-+*/%]/.test(after) || /[-+*/%<>]=?$/.test(before);
  if (operator !== undefined || isCalculated) return sure(1);
  const isText = /\$(?:contains|length|split|uppercase|lowercase|trim|match|substring)\($/;
  return isText.test(before) ? sure('sample') : null;
}

/** JSONata takes texts with line breaks in them and numbers that begin with 0, JSON does not. */
function literalOf(code: string): JsonValue {
  try {
    return readJson(code, { bytes: code.length * 3 });
  } catch {
    return code.startsWith('"') ? code.slice(1, -1) : Number(code);
  }
}

/** A value for which a comparison holds. */
function holding(operator: string, literal: JsonValue): JsonValue {
  if (typeof literal === 'boolean') return operator === '!=' ? !literal : literal;
  if (typeof literal === 'string') return operator === '!=' ? `not ${literal}` : literal;
  const number = Number(literal);
  if (operator === '<') return number - 1;
  return operator === '>' || operator === '!=' ? number + 1 : number;
}
