import { isKept, NUMBER_LENGTH_MAX, placeOf } from './json-text.js';
import { isIllFormed } from './plain-value.js';
import { type JsonFaultCode, WrongJson } from './wrong-json.js';

/** The rules of a text. */
export interface TextRules {
  readonly depth: number;
  /** Members may have any name, and texts any characters. */
  readonly isOwn: boolean;
  /** Nothing is read beyond what is nested too deeply. */
  readonly stopsAtDepth: boolean;
}

/** A list or an object that is open. */
interface Level {
  /** Names of the members so far; null: it is a list. */
  readonly names: Set<string> | null;
  /** The member or the entry that is being read. */
  at: string | number;
}

/** The part of a text that is to be read next. */
type Next = 'value' | 'first-entry' | 'first-member' | 'member' | 'after-value' | 'end';

type Words = readonly [code: JsonFaultCode, sentence: string, hint: string];

const INFINITE: Words = [
  'NUMBER_NOT_KEPT',
  'A number is too large to be kept.',
  'Write it as text, or smaller.',
];
const INEXACT: Words = [
  'NUMBER_NOT_KEPT',
  'A whole number has more digits than can be kept.',
  'Write it as text, in double quotes.',
];
const ILL_FORMED: Words = [
  'ILL_FORMED_TEXT',
  'A text has half of a surrogate pair, which UTF-8 cannot write.',
  'Remove the \\ud800 to \\udfff that stands alone.',
];
const FORBIDDEN: Words = [
  'FORBIDDEN_MEMBER',
  'A member must not be called `__proto__`.',
  'Choose another name.',
];

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /(?:true|false|null)(?![\w$])/y;
const HEX = /[\da-fA-F]{4}/y;
const VALUE_BEGINS = /["\d[{-]/;

/** The first thing that is wrong with a text; null: nothing is. */
export function findFault(text: string, rules: TextRules): WrongJson | null {
  try {
    return new FaultFinder(text, rules).read();
  } catch (error) {
    if (error instanceof WrongJson) return error;
    throw error;
  }
}

/** Reads a text letter by letter, without recursion: it may be nested to any depth. */
class FaultFinder {
  #at = 0;
  /** The first fault of a text that is JSON. */
  #first: WrongJson | null = null;
  readonly #levels: Level[] = [];

  constructor(
    private readonly text: string,
    private readonly rules: TextRules,
  ) {}

  /** Throws the first fault of syntax; else returns the first other one. */
  read(): WrongJson | null {
    this.#pass(SPACE);
    if (this.#isAtEnd()) throw this.#syntax('The text is empty.', { code: 'EMPTY' });
    for (let next: Next = 'value'; next !== 'end';) {
      this.#skipSpace();
      next = this.#readNext(next);
    }
    this.#skipSpace();
    if (!this.#isAtEnd()) throw this.#syntax('The text should end here.');
    return this.#first;
  }

  #readNext(next: Exclude<Next, 'end'>): Next {
    if (next === 'value') return this.#value();
    if (next === 'member') return this.#member();
    if (next === 'after-value') return this.#afterValue();
    const closing = next === 'first-entry' ? ']' : '}';
    if (this.text[this.#at] === closing) return this.#close();
    if (this.#isAtEnd()) throw this.#syntax(`A closing ${closing} should stand here.`);
    return next === 'first-entry' ? this.#value() : this.#member();
  }

  #value(): Next {
    const letter = this.text[this.#at];
    if (letter === '{' || letter === '[') return this.#open(letter);
    const at = this.#at;
    if (letter === '"') this.#checkText(this.#quoted(), { at });
    else if (letter !== undefined && VALUE_BEGINS.test(letter)) this.#number();
    else if (letter === undefined || ',:]}'.includes(letter)) {
      throw this.#syntax('A value should stand here.');
    } else if (this.#pass(WORD) === '') {
      throw this.#syntax('This is no JSON value; put text in double quotes.');
    }
    return 'after-value';
  }

  #open(letter: '{' | '['): Next {
    if (this.#levels.length >= this.rules.depth) {
      const message = `Lists and objects are nested deeper than ${this.rules.depth} levels.`;
      this.#note(['TOO_DEEP', message, 'Write it flatter.']);
      if (this.rules.stopsAtDepth && this.#first !== null) throw this.#first;
    }
    this.#at += 1;
    const isList = letter === '[';
    this.#levels.push({ names: isList ? null : new Set(), at: isList ? 0 : '' });
    return isList ? 'first-entry' : 'first-member';
  }

  #close(): Next {
    this.#at += 1;
    this.#levels.pop();
    return 'after-value';
  }

  #afterValue(): Next {
    const level = this.#levels.at(-1);
    if (level === undefined) return 'end';
    const letter = this.text[this.#at];
    const closing = level.names === null ? ']' : '}';
    if (letter === closing) return this.#close();
    if (letter === undefined || letter === ']' || letter === '}') {
      throw this.#syntax(`A closing ${closing} should stand here.`);
    }
    if (letter !== ',') throw this.#syntax('A comma should stand here.');
    this.#at += 1;
    if (typeof level.at !== 'number') return 'member';
    level.at += 1;
    return 'value';
  }

  #member(): Next {
    if (this.text[this.#at] !== '"') {
      throw this.#syntax('A member in double quotes should stand here.');
    }
    const at = this.#at;
    this.#enter(this.#quoted(), at);
    this.#skipSpace();
    if (this.text[this.#at] !== ':') throw this.#syntax('A colon should stand here.');
    this.#at += 1;
    return 'value';
  }

  #enter(name: string, at: number): void {
    const level = this.#levels.at(-1)!;
    level.at = name;
    if (name === '__proto__' && !this.rules.isOwn) this.#note(FORBIDDEN, at);
    if (level.names?.has(name) === true) {
      const message = `\`${name.slice(0, 60)}\` is there twice.`;
      const hint = 'Remove one of the two, or give it another name.';
      this.#note(['REPEATED_MEMBER', message, hint], at);
    }
    level.names?.add(name);
    this.#checkText(name, { at, depth: this.#levels.length - 1 });
  }

  /** The text in quotes that begins here, as it is meant. */
  #quoted(): string {
    const start = this.#at;
    let isPlain = true;
    this.#at += 1;
    for (;;) {
      const letter = this.text[this.#at];
      if (letter === '"') break;
      if (letter === undefined || letter === '\n' || letter === '\r') {
        const message = 'A text begins here that has no closing double quote.';
        throw this.#syntax(message, { at: start });
      }
      if (letter < ' ') {
        throw this.#syntax('This character must be written as an escape, for example \\n.');
      }
      isPlain &&= letter !== '\\';
      this.#at += letter === '\\' ? this.#escapeLength() : 1;
    }
    this.#at += 1;
    if (isPlain) return this.text.slice(start + 1, this.#at - 1);
    return JSON.parse(this.text.slice(start, this.#at)) as string;
  }

  #escapeLength(): number {
    const letter = this.text[this.#at + 1];
    if (letter === undefined || '"\\/bfnrt'.includes(letter)) return 2;
    if (letter !== 'u') throw this.#syntax('An unknown character stands after a backslash.');
    HEX.lastIndex = this.#at + 2;
    if (!HEX.test(this.text)) throw this.#syntax('A \\u without four hex digits stands here.');
    return 6;
  }

  #number(): void {
    const at = this.#at;
    const token = this.#pass(NUMBER);
    const letter = this.text[this.#at] ?? '';
    if (token === '' || /[.eE]/.test(letter)) {
      throw this.#syntax('This number is unfinished.', { at });
    }
    if (/\d/.test(letter)) {
      throw this.#syntax('This is not a number as JSON writes them.', { at });
    }
    if (token.length > NUMBER_LENGTH_MAX) {
      const message = `A number has more than ${NUMBER_LENGTH_MAX} characters; write it as text.`;
      throw this.#syntax(message, { at, code: 'NUMBER_TOO_LONG' });
    }
    if (!Number.isFinite(Number(token))) this.#note(INFINITE, at);
    else if (!isKept(token)) this.#note(INEXACT, at);
  }

  #checkText(text: string, { at, depth = this.#levels.length }: TextPlace): void {
    if (this.rules.isOwn || this.#first !== null || !isIllFormed(text)) return;
    this.#first = this.#fault(ILL_FORMED, at, depth);
  }

  #skipSpace(): void {
    this.#pass(SPACE);
    if (this.text[this.#at] !== '/') return;
    const following = this.text[this.#at + 1];
    if (following === '/' || following === '*') throw this.#syntax('JSON has no comments.');
  }

  /** Goes past what an expression finds here. */
  #pass(expression: RegExp): string {
    expression.lastIndex = this.#at;
    const [token = ''] = expression.exec(this.text) ?? [];
    this.#at += token.length;
    return token;
  }

  #isAtEnd(): boolean {
    return this.#at >= this.text.length;
  }

  #note(words: Words, at = this.#at): void {
    this.#first ??= this.#fault(words, at, this.#levels.length);
  }

  #fault([code, sentence, hint]: Words, at: number, depth: number): WrongJson {
    const pointer = this.#levels
      .slice(0, depth)
      .map((level) => pointerPart(level.at))
      .join('');
    return new WrongJson({ code, pointer, place: placeOf(this.text, at), sentence, hint });
  }

  /** A text that is no JSON has no values that a pointer could mean. */
  #syntax(sentence: string, { at = this.#at, code = 'SYNTAX' }: SyntaxFault = {}): WrongJson {
    const place = code === 'EMPTY' ? null : placeOf(this.text, at);
    return new WrongJson({ code, pointer: '', place, sentence, hint: null });
  }
}

interface SyntaxFault {
  readonly at?: number;
  readonly code?: 'EMPTY' | 'NUMBER_TOO_LONG' | 'SYNTAX';
}

interface TextPlace {
  readonly at: number;
  /** How many of the open levels lead to it. Default: all. */
  readonly depth?: number;
}

/** One step of an RFC 6901 pointer. */
export function pointerPart(key: string | number): string {
  return `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
