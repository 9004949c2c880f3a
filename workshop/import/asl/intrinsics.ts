import { readStoredJson } from '#core/json';
import { literal, pathOf } from '../code.js';

/** Translates a path of a state machine to JSONata; null: it has no equivalent. */
type ReadPath = (path: string) => string | null;

const DEPTH_MAX = 10;

type Write = (args: readonly string[]) => string | null;

const two = (write: (a: string, b: string) => string): Write => {
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
  ['StringSplit', two((text, separator) => `$split(${text}, ${separator})`)],
]);

/** JSONata for a path or a call of an intrinsic function; null: it cannot be said. */
export function readIntrinsic(text: string, readPath: ReadPath): string | null {
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
