import type { JsonValue } from '#core';
import { readStoredJson } from '#core/json';
import { checked, enclosed, literal, pathOf, unwritten } from '../code.js';
import { below, clip, isObject, type Placed } from '../source.js';
import { codeOf, coded, type Data, members, select, written } from './data.js';
import type { Known, Scope } from './document.js';

/** The values that expressions of a state can read, and the language they are written in. */
export interface Sight {
  readonly scope: Scope;
  readonly known: Known;
  /** The values of `$states.result` and `$states.errorOutput`. */
  readonly result?: Data | undefined;
  readonly error?: Data | undefined;
  readonly isJsonata: boolean;
}

/** Translates a path of a state machine to JSONata; null: it has no equivalent. */
type ReadPath = (path: string) => string | null;

const DEPTH_MAX = 10;

type Write = (args: readonly string[]) => string | null;

const two = (write: (a: string, b: string) => string | null): Write => {
  return ([a, b, ...more]) =>
    a === undefined || b === undefined || more.length > 0 ? null : write(a, b);
};

const one = (write: (a: string) => string): Write => {
  return ([a, ...more]) => (a === undefined || more.length > 0 ? null : write(a));
};

/** Those with a counterpart. `States.StringToJson`, `Hash`, `UUID` and chance have none. */
const FUNCTIONS: ReadonlyMap<string, Write> = new Map<string, Write>([
  ['Array', (args) => `[${args.join(', ')}]`],
  ['ArrayContains', two((list, item) => `(${item} in ${list})`)],
  ['ArrayGetItem', two((list, index) => `(${list})[${index}]`)],
  ['ArrayLength', one((list) => `$count(${list})`)],
  ['ArrayUnique', one((list) => `$distinct(${list})`)],
  ['Base64Decode', one((text) => `$base64decode(${text})`)],
  ['Base64Encode', one((text) => `$base64encode(${text})`)],
  ['Format', format],
  ['JsonMerge', ([a, b]) => (a === undefined || b === undefined ? null : `$merge([${a}, ${b}])`)],
  ['JsonToString', one((value) => `$string(${value})`)],
  ['MathAdd', two((a, b) => `(${a} + ${b})`)],
  ['StringSplit', two(split)],
]);

/** A path, an intrinsic function, or a path of the context, as data. */
export function readReference(text: string, sight: Sight, pointer: string): Data {
  const path = pathOf(text);
  if (path !== null && !text.startsWith('$$')) return select(rootOf(text, sight), path);
  const code = readIntrinsic(text, (part) => codeOfPath(part, sight));
  return code === null ? unknown(text, sight, pointer) : coded(code);
}

/** A template: members that end in `.$`, or texts `{% ... %}`, are expressions. */
export function readTemplate({ value, pointer }: Placed, sight: Sight): Data {
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    return {
      kind: 'list',
      items: items.map((item, n) =>
        readTemplate({ value: item, pointer: below(pointer, n) }, sight),
      ),
    };
  }
  if (isObject(value)) {
    return members(
      Object.entries(value).map(([name, inner]): [string, Data] => {
        const at = below(pointer, name);
        const isPath = !sight.isJsonata && name.endsWith('.$') && typeof inner === 'string';
        if (isPath) return [name.slice(0, -2), readReference(inner, sight, at)];
        return [name, readTemplate({ value: inner, pointer: at }, sight)];
      }),
    );
  }
  if (sight.isJsonata && typeof value === 'string') return readText(value, sight, pointer);
  return { kind: 'value', value: value ?? null };
}

/** A text of a state that is written with JSONata. */
export function readText(text: string, sight: Sight, pointer: string): Data {
  const inner = /^\{%([^]*)%\}$/.exec(text.trim())?.[1];
  if (inner === undefined) return { kind: 'value', value: text };
  const code = replaceVariables(inner.trim(), sight);
  return code === null ? unknown(text, sight, pointer) : coded(code);
}

/** As it stands in a flow. */
export function writeData(data: Data, { scope }: Pick<Sight, 'scope'>, pointer: string): JsonValue {
  return written(data, (code) => checked(code, { notes: scope.target.notes, pointer }));
}

/** As a text that is an expression. */
export function writeCode(code: string, { scope }: Pick<Sight, 'scope'>, pointer: string): string {
  return checked(code, { notes: scope.target.notes, pointer });
}

function rootOf(text: string, { known }: Sight): Data {
  return text.startsWith('$') ? known.data : coded('$');
}

function unknown(text: string, { scope }: Sight, pointer: string): Data {
  const message = `\`${clip(text)}\` could not be translated. Write it as JSONata.`;
  scope.target.notes.add(pointer, 'EXPRESSION_NOT_CARRIED', message);
  return coded(unwritten(text));
}

function codeOfPath(text: string, sight: Sight): string | null {
  if (text.startsWith('$$')) return contextCode(text.slice('$$.'.length), sight);
  const variable = /^\$([A-Za-z_]\w*)(.*)$/s.exec(text);
  const path = pathOf(variable === null ? text : `$${variable[2]}`);
  if (path === null) return null;
  if (variable === null) return enclosed(codeOf(select(sight.known.data, path)));
  const value = sight.known.variables.get(variable[1] ?? '');
  return value === undefined ? null : enclosed(codeOf(select(value, path)));
}

/** The context of a state machine: what of it has a counterpart. */
function contextCode(text: string, { scope }: Sight): string | null {
  const { item } = scope;
  const rest = /^(Execution\.Input|Map\.Item\.Value)(.*)$/s.exec(text);
  if (rest !== null) {
    const path = pathOf(`$${rest[2]}`);
    const base = rest[1] === 'Execution.Input' ? scope.execution : item && codeOf(item);
    return path === null || !base ? null : codeOf(select(coded(base), path));
  }
  switch (text) {
    case 'Execution.Id':
    case 'Execution.Name':
      return '$task.id';
    case 'Execution.StartTime':
      return '$fromMillis($task.createdAt * 1000)';
    case 'StateMachine.Name':
      return '$task.flow';
    case 'State.EnteredTime':
      return '$now()';
    case 'Map.Item.Index':
      return item === undefined ? null : '$index';
    // The command has it in its context.
    case 'Task.Token':
      return 'null';
    default:
      return null;
  }
}

const QUOTED = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|\/\*[^]*?\*\//;

const VARIABLE =
  /\$states\.context((?:\.\w+)+)|\$states\.(\w+)((?:\.[A-Za-z_]\w*)*)|\$([A-Za-z_]\w*)/;

const TOKENS = new RegExp(`${QUOTED.source}|${VARIABLE.source}`, 'g');

/** JSONata with what Step Functions gives it replaced by what a flow has, but in texts. */
function replaceVariables(code: string, sight: Sight): string | null {
  let isKnown = true;
  const replaced = code.replace(TOKENS, (token: string, ...groups: (string | undefined)[]) => {
    const [context, part, path = '', name] = groups;
    const found = replacement(token, { context, part, path, name }, sight);
    if (found === null) isKnown = false;
    return found ?? token;
  });
  return isKnown && !/\$states\b/.test(replaced) ? replaced : null;
}

interface Token {
  readonly context: string | undefined;
  readonly part: string | undefined;
  /** The path that is read in that part: `.Payload.sum`. */
  readonly path: string;
  readonly name: string | undefined;
}

function replacement(
  token: string,
  { context, name, part, path }: Token,
  sight: Sight,
): string | null {
  if (context !== undefined) return contextCode(context.slice(1), sight);
  const parts = new Map([
    ['input', sight.known.data],
    ['result', sight.result],
    ['errorOutput', sight.error],
  ]);
  if (part !== undefined && parts.has(part)) {
    const data = parts.get(part);
    return data ? enclosed(codeOf(select(data, path.split('.').slice(1)))) : null;
  }
  const variable = name === undefined ? undefined : sight.known.variables.get(name);
  return variable === undefined ? token : enclosed(codeOf(variable));
}

/** JSONata for a path or a call of an intrinsic function; null: it cannot be said. */
function readIntrinsic(text: string, readPath: ReadPath): string | null {
  const call = new IntrinsicReader(text, readPath);
  const code = call.value(0);
  return code !== null && call.isAtEnd() ? code : null;
}

/** `'{} of {}'` and its values. */
function format([template, ...values]: readonly string[]): string | null {
  if (template === undefined || !template.startsWith('"')) return null;
  const parts = (readStoredJson(template, 'a template') as string).split('{}');
  if (parts.length !== values.length + 1) return null;
  const texts = parts.flatMap((part, n) => {
    const value = values[n];
    return [...(part === '' ? [] : [literal(part)]), ...(value === undefined ? [] : [value])];
  });
  return texts.length < 2 ? `$string(${texts[0] ?? '""'})` : `(${texts.join(' & ')})`;
}

/** The text is split at each character of the separator. */
function split(text: string, separator: string): string | null {
  if (!separator.startsWith('"')) return null;
  const signs = readStoredJson(separator, 'a separator') as string;
  if (signs.length === 1) return `$split(${text}, ${separator})`;
  if (signs === '') return null;
  return `$split(${text}, /[${signs.replaceAll(/[\\/()[\]{}^-]/g, '\\$&')}]/)`;
}

/** Reads a call from left to right. */
class IntrinsicReader {
  #place = 0;

  constructor(
    private readonly text: string,
    private readonly readPath: ReadPath,
  ) {}

  isAtEnd(): boolean {
    this.#take(/\s*/y);
    return this.#place === this.text.length;
  }

  value(depth: number): string | null {
    this.#take(/\s*/y);
    const quoted = this.#take(/'(?:[^'\\]|\\.)*'/y);
    if (quoted !== null) return literal(quoted.slice(1, -1).replace(/\\(.)/g, '$1'));
    const number = this.#take(/-?\d+(\.\d+)?|true\b|false\b|null\b/y);
    if (number !== null) return number;
    const path = this.#take(/\$[^\s,()]*/y);
    if (path !== null) return pathOf(path.replace(/^\$\$/, '$')) && this.readPath(path);
    const name = this.#take(/States\.\w+(?=\s*\()/y);
    return name === null ? null : this.#call(name.slice('States.'.length), depth);
  }

  #call(name: string, depth: number): string | null {
    const write = FUNCTIONS.get(name);
    if (write === undefined || depth > DEPTH_MAX) return null;
    this.#take(/\s*\(\s*/y);
    const args: string[] = [];
    while (this.#take(/\s*\)/y) === null) {
      if (args.length > 0 && this.#take(/\s*,/y) === null) return null;
      const value = this.value(depth + 1);
      if (value === null) return null;
      args.push(value);
    }
    return write(args);
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#place;
    const found = pattern.exec(this.text)?.[0] ?? null;
    if (found !== null) this.#place += found.length;
    return found;
  }
}
