import {
  createScanner,
  getLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type { JsonObject, JsonValue } from '#core';
import { unmarked } from '#json';
import { joinPointer, splitPointer } from './json-pointer.js';
import {
  type Finding,
  type Problem,
  type ProblemCode,
  PROBLEMS_MAX,
  TEXT_START,
} from './problem.js';

/** Longest text that is read, in UTF-16 code units: about a thousand steps with parameters. */
export const TEXT_LENGTH_MAX = 1024 * 1024;

/**
 * Deepest nesting that is read: readers further on are recursive, and one that stores documents
 * takes 100 levels. Sixteen lists of steps in each other need up to 67.
 */
export const DEPTH_MAX = 96;

/** A document, or the one problem that prevents it. */
export type JsonReading =
  | { readonly kind: 'read'; readonly document: JsonDocument }
  | { readonly kind: 'unreadable'; readonly problem: Problem };

/** A place in a text, counted from 1 as editors do. */
interface Place {
  readonly line: number;
  readonly column: number;
}

/** Reads JSON with comments and trailing commas. Never throws, whatever the text. */
export function readJson(text: string): JsonReading {
  if (text.length > TEXT_LENGTH_MAX) return tooLarge();
  const plain = unmarked(text);
  const lines = new LineIndex(plain);
  const deepAt = findTooDeep(plain);
  if (deepAt !== null) {
    const message = `Lists and objects are nested deeper than ${DEPTH_MAX} levels here.`;
    const hint = 'Write it flatter.';
    return unreadable({ pointer: '', ...lines.at(deepAt), code: 'TOO_DEEP', message, hint });
  }
  const errors: ParseError[] = [];
  const root = parseTree(plain, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors.toSorted((a, b) => a.offset - b.offset);
  if (first !== undefined) return unreadable(syntaxProblem(plain, lines, first));
  if (root === undefined) return empty();
  return { kind: 'read', document: new JsonDocument(root, lines, plain) };
}

function unreadable(problem: Problem): JsonReading {
  return { kind: 'unreadable', problem };
}

function tooLarge(): JsonReading {
  const code: ProblemCode = 'FILE_TOO_LARGE';
  const message = `The text is longer than ${TEXT_LENGTH_MAX / 1024} KiB.`;
  return unreadable({ ...TEXT_START, code, message, hint: 'Spread the flows over several files.' });
}

function empty(): JsonReading {
  const message = 'There is no flow in this text.';
  const hint =
    'Write for example {"my-flow": [{"normal": {"module": "lab", "command": "succeed"}}]}.';
  return unreadable({ ...TEXT_START, code: 'NO_FLOW', message, hint });
}

/** Where the nesting gets too deep. Found without recursion, so no text can exhaust the stack. */
function findTooDeep(text: string): number | null {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (;;) {
    scanner.scan();
    if (scanner.getTokenOffset() >= text.length) return null;
    const first = text[scanner.getTokenOffset()];
    if (first === '{' || first === '[') depth += 1;
    if (first === '}' || first === ']') depth -= 1;
    if (depth > DEPTH_MAX) return scanner.getTokenOffset();
  }
}

/** Message and hint for each thing a JSON reader stumbles over. */
const SYNTAX: Readonly<Record<string, readonly [message: string, hint: string]>> = {
  InvalidSymbol: ['is no JSON value', 'Put text in double quotes.'],
  InvalidNumberFormat: ['is not a number as JSON writes them', 'Write for example 30 or 0.5.'],
  PropertyNameExpected: ['stands where a member should begin', 'Write "name": value.'],
  ValueExpected: [
    'stands where a value should be',
    'Write a value here, or remove what asks for it.',
  ],
  ColonExpected: ['stands where a colon should be', 'Put a colon between a name and its value.'],
  CommaExpected: ['stands where a comma should be', 'Put a comma after what stands before it.'],
  CloseBraceExpected: ['stands where } should be', 'Close the object with }.'],
  CloseBracketExpected: ['stands where ] should be', 'Close the list with ].'],
  EndOfFileExpected: ['comes after the end', 'Keep one { ... } in the file and remove the rest.'],
  UnexpectedEndOfComment: ['begins a comment that does not end', 'End the comment with */.'],
  UnexpectedEndOfString: ['begins a text that does not end', 'End the text with a double quote.'],
  UnexpectedEndOfNumber: ['is an unfinished number', 'Write for example 30 or 0.5.'],
  InvalidUnicode: ['has a \\u without four hex digits', 'Write for example \\u00e9.'],
  InvalidEscapeCharacter: ['has an unknown character after \\', 'Write \\\\ for a backslash.'],
  InvalidCharacter: ['has a character that must be escaped', 'Write \\n for a new line.'],
};

function syntaxProblem(text: string, lines: LineIndex, error: ParseError): Problem {
  const name = printParseErrorCode(error.error);
  const offset = Math.min(error.offset, text.length);
  const rest = text.slice(offset, offset + Math.max(1, Math.min(error.length, 60)));
  const [found, odd] = foundAt(rest);
  const [fault, hint] = odd ?? SYNTAX[name] ?? ['cannot be read', 'Write JSON here.'];
  const path = getLocation(text, offset).path.filter((segment) => segment !== '');
  const pointer = path.reduce<string>(joinPointer, '');
  return { pointer, ...lines.at(offset), code: 'SYNTAX', message: `${found} ${fault}.`, hint };
}

const ODD_SPACE = ['is no space of JSON', 'Replace it by an ordinary space.'] as const;

/** The words for the place of a mistake, and its fault whatever was expected there. */
function foundAt(rest: string): readonly [found: string, odd?: typeof ODD_SPACE] {
  const shown = rest.trim();
  if (shown !== '') return [`\`${clip(shown)}\``];
  const odd = rest.replaceAll(/[ \t\r\n]/g, '').codePointAt(0);
  if (odd === undefined) return ['The end'];
  return [`The space U+${odd.toString(16).toUpperCase().padStart(4, '0')}`, ODD_SPACE];
}

/** A JSON text that could be read: its value, and where each part of it stands. */
export class JsonDocument {
  readonly value: JsonValue;
  /** The first faults of members and numbers in a text that can be read. */
  readonly findings: readonly Finding[];
  /** By member of the document: how much more is wrong. */
  readonly unlisted: ReadonlyMap<string, number>;
  readonly #root: Node;
  readonly #lines: LineIndex;
  readonly #text: string;

  constructor(root: Node, lines: LineIndex, text: string) {
    const findings = new FindingList();
    this.value = valueOf(root, '', findings);
    this.findings = findings.listed;
    this.unlisted = findings.unlisted;
    this.#root = root;
    this.#lines = lines;
    this.#text = text;
  }

  /** Where the value at a pointer stands, or the name of its member; else what is around it. */
  locate(pointer: string, at: 'name' | 'value'): Place {
    return this.#lines.at(this.#nodeAt(pointer, at).offset);
  }

  /** Where a character of the text at a pointer stands, escapes before it counted. */
  locateInText(pointer: string, index: number): Place {
    const { length, offset } = this.#nodeAt(pointer, 'value');
    const raw = this.#text.slice(offset + 1, offset + length - 1);
    let at = 0;
    for (let count = 0; count < index && at < raw.length; count += 1) {
      if (raw[at] !== '\\') at += 1;
      else at += raw[at + 1] === 'u' ? 6 : 2;
    }
    return this.#lines.at(offset + 1 + at);
  }

  #nodeAt(pointer: string, at: 'name' | 'value'): Node {
    let node: Node = this.#root;
    let name: Node | undefined;
    for (const segment of splitPointer(pointer)) {
      const child = childOf(node, segment);
      const value = child?.type === 'property' ? child.children?.[1] : child;
      if (child === undefined || value === undefined) break;
      name = child.type === 'property' ? child.children?.[0] : undefined;
      node = value;
    }
    return at === 'name' ? (name ?? node) : node;
  }
}

/**
 * The first findings of a document. A finding has a pointer, which may be as long as the text, so
 * that a list of all of them could take the square of its length.
 */
class FindingList {
  readonly listed: Finding[] = [];
  readonly unlisted = new Map<string, number>();
  /** The member of the document that is being read. */
  member = '';

  add(makeFinding: () => Finding): void {
    if (this.listed.length < PROBLEMS_MAX) this.listed.push(makeFinding());
    else this.unlisted.set(this.member, (this.unlisted.get(this.member) ?? 0) + 1);
  }
}

/** Of two members with one name the second, which is the one too many. */
function childOf(node: Node, segment: string): Node | undefined {
  if (node.type === 'array') return node.children?.[Number(segment)];
  return node.children?.findLast((property) => property.children?.[0]?.value === segment);
}

/** The value of a node, built without ever touching a prototype. */
function valueOf(node: Node, pointer: string, findings: FindingList): JsonValue {
  if (node.type === 'array') {
    const entries = node.children ?? [];
    return entries.map((entry, i) => valueOf(entry, joinPointer(pointer, i), findings));
  }
  if (node.type === 'object') return objectOf(node, pointer, findings);
  if (node.type === 'number') checkNumber(node.value as number, pointer, findings);
  return node.value as JsonValue;
}

function objectOf(node: Node, pointer: string, findings: FindingList): JsonValue {
  const members: Record<string, JsonValue> = {};
  for (const { children = [] } of node.children ?? []) {
    const [name, value] = children;
    if (name === undefined || value === undefined) continue;
    if (pointer === '') findings.member = name.value as string;
    const at = joinPointer(pointer, name.value as string);
    if (name.value === '__proto__') findings.add(() => forbiddenMember(at));
    else if (Object.hasOwn(members, name.value as string)) {
      findings.add(() => duplicateMember(at, name));
    } else members[name.value as string] = valueOf(value, at, findings);
  }
  return members;
}

function forbiddenMember(pointer: string): Finding {
  const message = 'A member must not be called `__proto__`.';
  const hint = 'Give it another name.';
  return { pointer, at: 'name', code: 'FORBIDDEN_MEMBER', message, hint };
}

function duplicateMember(pointer: string, name: Node): Finding {
  const message = `\`${clip(name.value as string)}\` is there twice.`;
  const hint = 'Remove one of the two, or give it another name.';
  return { pointer, at: 'name', code: 'DUPLICATE_MEMBER', message, hint };
}

function checkNumber(value: number, pointer: string, findings: FindingList): void {
  if (Number.isSafeInteger(value) || Math.abs(value) < Number.MAX_SAFE_INTEGER) return;
  const message = 'This number is too large to be kept exactly.';
  const hint = 'Write it as text, in double quotes.';
  findings.add(() => ({ pointer, code: 'INEXACT_NUMBER', message, hint }));
}

/** Whether a value is an object, neither null nor a list. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Text of the author as it is quoted in messages. */
export function clip(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}

/** Turns offsets of a text into lines and columns. */
class LineIndex {
  readonly #starts: readonly number[];

  constructor(text: string) {
    const starts = [0];
    for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) starts.push(index + end.length);
    this.#starts = starts;
  }

  /** The place of an offset. */
  at(offset: number): Place {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 };
  }
}
