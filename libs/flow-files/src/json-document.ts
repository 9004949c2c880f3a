import type { Node } from 'jsonc-parser';
import type { JsonObject, JsonValue } from '#core';
import { joinPointer, splitPointer } from './json-pointer.js';
import { type Finding, PROBLEMS_MAX } from './problem.js';

/** A place in a text, counted from 1 as editors do. */
interface Place {
  readonly line: number;
  readonly column: number;
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
export class LineIndex {
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
