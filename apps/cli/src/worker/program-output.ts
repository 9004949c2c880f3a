import type { JsonObject } from '#core';
import { endOfText, readJson, WrongJson } from '#json';
import type { Outcome } from '#worker';
import type { ReadLine } from './line-reader.js';

/** Larger outputs are refused, whatever the gateway would take. */
export const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** An output, or the reason why it is none. */
type Found = { readonly output: JsonObject } | { readonly code: string; readonly message: string };

/**
 * The output that a program writes: the last JSON object on lines of its own of standard output.
 * All other lines are for people. Keeps no more than `OUTPUT_BYTES_MAX` of an object.
 */
export class ProgramOutput {
  #last: { readonly found: Found; readonly text: string } | null = null;
  /** An object or a list that goes on with the next line. */
  #begun: BegunValue | null = null;

  /** Takes the lines that are no output, secrets of it masked. */
  constructor(
    private readonly secrets: readonly string[],
    private readonly log: (text: string) => void,
  ) {}

  add(line: ReadLine): void {
    if (this.#begun !== null) {
      const isTaken = this.#begun.add(line);
      if (!isTaken) this.#breakOff();
      else if (this.#begun.isWhole) this.#end(this.#begun);
      if (isTaken) return;
    }
    if (this.#isObject(line)) return;
    const begun = new BegunValue();
    if (!/^\s*[[{]/.test(line.text) || !begun.add(line) || begun.isWhole) this.log(line.text);
    else this.#begun = begun;
  }

  /**
   * How a program ended with exit code 0 that wrote this text to `$BACKSTEP_OUTPUT`. Null: it wrote
   * more than an output may have.
   */
  outcome(written: string | null): Outcome {
    this.#breakOff();
    const isWritten = written?.trim() !== '';
    const found = isWritten ? outputIn(written) : this.#last?.found;
    if (isWritten) this.giveUp();
    if (found === undefined) return { kind: 'complete' };
    if ('output' in found) return { kind: 'complete', output: found.output };
    return { kind: 'fail', retryable: false, ...found };
  }

  /** The lines that could be the output are for people, like all others. */
  giveUp(): void {
    this.#breakOff();
    if (this.#last !== null) this.log(this.#masked(this.#last.text, this.#last.found));
    this.#last = null;
  }

  #isObject({ isCut, text }: ReadLine): boolean {
    const found = isCut && text.trimStart().startsWith('{') ? TOO_LARGE : objectIn(text);
    if (found !== null) this.#take(found, text);
    return found !== null;
  }

  #take(found: Found, text: string): void {
    this.giveUp();
    this.#last = { found, text };
  }

  #end({ isTooLarge, lines }: BegunValue): void {
    this.#begun = null;
    const text = lines.join('\n');
    const found = isTooLarge ? TOO_LARGE : objectIn(text);
    if (found === null) this.#show(lines);
    else this.#take(found, text);
  }

  /** A line of what is not whole may be an object by itself. */
  #breakOff(): void {
    const { lines = [] } = this.#begun ?? {};
    this.#begun = null;
    this.#show(lines.filter((text) => !this.#isObject({ text, isCut: false })));
  }

  /** Where a secret is named, its value may be on any of the lines that follow. */
  #show(lines: readonly string[]): void {
    const names = this.secrets.map((name) => JSON.stringify(name));
    const at = lines.findIndex((line) => names.some((name) => line.includes(name)));
    for (const line of at === -1 ? lines : [...lines.slice(0, at), '***']) this.log(line);
  }

  #masked(text: string, found: Found): string {
    if (this.secrets.length === 0) return text;
    if (!('output' in found)) return '***';
    const hidden = this.secrets.filter((name) => name in found.output).map((name) => [name, '***']);
    return hidden.length === 0
      ? text
      : JSON.stringify({ ...found.output, ...Object.fromEntries(hidden) });
  }
}

/** Tokens of JSON. Any other letter is one that stands beside no other. */
const TOKEN = /["{}[\],:]|-?\d[\d.eE+-]*|true|false|null|\S/g;
/** The tokens that may follow each; a number or a word is `1`. */
const FOLLOWING: Readonly<Record<string, string>> = {
  '{': '"}',
  '[': '"1{[]',
  ',': '"1{[',
  ':': '"1{[',
  '"': ':,}]',
  '1': ',}]',
  '}': ',}]',
  ']': ',}]',
};

/** Lines that are the beginning of an object or a list, and may be all of it. */
class BegunValue {
  readonly lines: string[] = [];
  /** It has more than an output may have: its last lines are not kept. */
  isTooLarge = false;
  #length = 0;
  #depth = 0;
  /** The last token; empty: it is not known. */
  #token = '';

  get isWhole(): boolean {
    return this.#depth === 0;
  }

  /** Whether it goes on with this line. Takes time in proportion to the line. */
  add({ isCut, text }: ReadLine): boolean {
    if (isCut) this.#token = '';
    else if (!this.#goesOn(text)) return false;
    this.#length += text.length + 1;
    this.isTooLarge ||= isCut || this.#length > OUTPUT_BYTES_MAX;
    if (!this.isTooLarge) this.lines.push(text);
    return true;
  }

  #goesOn(line: string): boolean {
    // A text that is not closed ends behind the line.
    const text = `${line}\n`;
    TOKEN.lastIndex = 0;
    for (let next = TOKEN.exec(text); next !== null; next = TOKEN.exec(text)) {
      const [token] = next;
      const kind = token.length > 1 || /\d/.test(token) ? '1' : token;
      const mayFollow = FOLLOWING[this.#token]?.includes(kind) === true && this.#depth > 0;
      if (this.#token !== '' && !mayFollow) return false;
      if (kind === '"') TOKEN.lastIndex = endOfText(text, next.index);
      if (TOKEN.lastIndex === text.length) return false;
      if (kind === '{' || kind === '[') this.#depth += 1;
      if (kind === '}' || kind === ']') this.#depth -= 1;
      this.#token = kind;
    }
    return true;
  }
}

const TOO_LARGE: Found = {
  code: 'OUTPUT_TOO_LARGE',
  message: `the output has more than ${OUTPUT_BYTES_MAX} bytes`,
};

/** Null: the text is no JSON object. */
function objectIn(text: string): Found | null {
  if (!/^\s*\{[\s\S]*\}\s*$/.test(text)) return null;
  try {
    return { output: readJson(text, { bytes: OUTPUT_BYTES_MAX }) as JsonObject };
  } catch (error) {
    if (!(error instanceof WrongJson)) throw error;
    return error.code === 'SYNTAX' ? null : invalid(error.message);
  }
}

function outputIn(text: string | null): Found {
  if (text === null) return TOO_LARGE;
  try {
    const output = readJson(text, { bytes: OUTPUT_BYTES_MAX });
    const isObject = typeof output === 'object' && output !== null && !Array.isArray(output);
    return isObject ? { output: output as JsonObject } : invalid('it is not a JSON object');
  } catch (error) {
    if (!(error instanceof WrongJson)) throw error;
    return invalid(error.message);
  }
}

function invalid(reason: string): Found {
  return { code: 'INVALID_OUTPUT', message: `the output cannot be used: ${reason}` };
}
