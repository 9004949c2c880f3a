import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import type { Json } from '../api/shapes.js';
import {
  commentsOf,
  type Entry,
  type EntryList,
  joinSpace,
  readList,
  writeList,
} from './text-list.js';

/** Where something stands in a text: names of members and places in arrays. */
export type TextPath = readonly (string | number)[];

/** How a text is laid out. */
interface Layout {
  readonly eol: string;
  /** One step to the right. */
  readonly unit: string;
}

/** Members of steps and actions in the order in which they are written. */
const ORDER = ['name', 'description', 'needs', 'if', 'normal', 'rollback'];
const WIDTH = 90;

/** The part of a text at a path; undefined: there is none. */
export function nodeAt(text: string, path: TextPath): Node | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return root === undefined ? undefined : findNodeAtLocation(root, [...path]);
}

/** Writes a value at a path, with the objects that lead there. */
export function setValue(text: string, path: TextPath, value: Json): string {
  const node = nodeAt(text, path);
  if (node !== undefined) {
    const written = print(value, { ...layoutOf(text), ...placeOf(text, node.offset) });
    return `${text.slice(0, node.offset)}${written}${text.slice(node.offset + node.length)}`;
  }
  const holder = nodeAt(text, path.slice(0, -1));
  const name = String(path.at(-1));
  if (holder?.type !== 'object') return setValue(text, path.slice(0, -1), { [name]: value });
  const names = (holder.children ?? []).map(({ children }) => String(children?.[0]?.value));
  const rank = ORDER.indexOf(name);
  const before = names.findLastIndex((one) => {
    return rank === -1 || (ORDER.includes(one) && ORDER.indexOf(one) < rank);
  });
  const isFirst = before === -1 && rank > ORDER.indexOf('needs');
  return insert(text, { holder, at: isFirst ? names.length : before + 1 }, [name, value]);
}

/** Puts a value into an array; what stands there and behind moves on. */
export function insertItem(text: string, path: TextPath, value: Json): string {
  const holder = nodeAt(text, path.slice(0, -1));
  if (holder?.type !== 'array') return setValue(text, path.slice(0, -1), [value]);
  return insert(text, { holder, at: Number(path.at(-1)) }, [null, value]);
}

/** Takes away what stands at a path, with the comments that belong to it. */
export function removeAt(text: string, path: TextPath): string {
  const holder = nodeAt(text, path.slice(0, -1));
  const last = path.at(-1);
  if (holder === undefined || last === undefined) return text;
  const children = holder.children ?? [];
  const at =
    typeof last === 'number'
      ? last
      : children.findIndex((member) => member.children?.[0]?.value === last);
  const list = readList(text, holder);
  const gone = list.entries[at];
  if (gone === undefined) return text;
  const rest = list.entries.filter((_, place) => place !== at);
  const { eol } = layoutOf(text);
  const kept = commentsOf(gone.free);
  const next = rest[at];
  if (next === undefined) {
    const isBare = rest.length === 0 && kept === '' && list.closing.trim() === '';
    return rewrite(text, holder, {
      entries: rest,
      closing: isBare ? '' : joinSpace(kept, list.closing, eol),
    });
  }
  const isFirst = at === 0 && commentsOf(next.free) === '';
  const free = isFirst ? gone.free : joinSpace(kept, next.free, eol);
  return rewrite(text, holder, { ...list, entries: rest.with(at, { ...next, free }) });
}

/** Has two neighbours of an array change places: the one at a place, and the one behind it. */
export function swapItems(text: string, path: TextPath): string {
  const holder = nodeAt(text, path.slice(0, -1));
  if (holder === undefined) return text;
  const list = readList(text, holder);
  const at = Number(path.at(-1));
  const [first, second] = [list.entries[at], list.entries[at + 1]];
  if (first === undefined || second === undefined) return text;
  const entries = list.entries
    .with(at, { ...second, free: first.free })
    .with(at + 1, { ...first, free: second.free });
  return rewrite(text, holder, { ...list, entries });
}

interface Place {
  readonly holder: Node;
  readonly at: number;
}

function insert(
  text: string,
  { at, holder }: Place,
  [name, value]: readonly [string | null, Json],
) {
  const { eol, unit } = layoutOf(text);
  const list = readList(text, holder);
  const outer = placeOf(text, holder.offset).indent;
  const sample = list.entries.find(({ free }) => free.includes('\n'));
  const isFlat = list.entries.length > 0 ? sample === undefined : isFlatIn(text, holder);
  const indent =
    sample === undefined ? `${outer}${unit}` : placeOf(sample.free, sample.free.length).indent;
  const space = isFlat ? ' ' : `${eol}${indent}`;
  const neighbour = list.entries[at - 1] ?? list.entries[at];
  const isExploded = neighbour !== undefined && /:\s*\{[ \t]*\r?\n/.test(neighbour.body);
  const style = { eol, unit, indent, isFlat: isFlat || isOneLine(neighbour), isExploded };
  const body = `${name === null ? '' : `${JSON.stringify(name)}: `}${print(value, style)}`;
  const entry: Entry = { free: space, lead: '', body, mid: '', hasComma: false, after: '' };
  if (list.entries.length === 0) {
    const free = joinSpace(commentsOf(list.closing), space, eol);
    const closing = isFlat ? ' ' : `${eol}${outer}`;
    return rewrite(text, holder, { entries: [{ ...entry, free }], closing });
  }
  const first = list.entries[0];
  if (at === 0 && first !== undefined) {
    const entries = [
      { ...entry, free: first.free },
      { ...first, free: space },
      ...list.entries.slice(1),
    ];
    return rewrite(text, holder, { ...list, entries });
  }
  return rewrite(text, holder, { ...list, entries: list.entries.toSpliced(at, 0, entry) });
}

/** An entry of an array that stands on one line. */
function isOneLine(entry: Entry | undefined): boolean {
  return entry !== undefined && entry.body.startsWith('{') && !entry.body.includes('\n');
}

/** Whether an empty list stands in something that is written on one line. */
function isFlatIn(text: string, { parent, type }: Node): boolean {
  if (type === 'array' || parent?.parent === undefined) return false;
  const { length, offset } = parent.parent;
  return !text.slice(offset, offset + length).includes('\n');
}

function rewrite(text: string, { children = [], length, offset }: Node, list: EntryList): string {
  const end = offset + length - 1;
  const last = children.at(-1);
  const behind = last === undefined ? '' : text.slice(last.offset + last.length, end);
  const hasTrailing = /^(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*,/.test(behind);
  const written = writeList(list, hasTrailing && list.entries.length > 0, layoutOf(text).eol);
  return `${text.slice(0, offset + 1)}${written}${text.slice(end)}`;
}

function layoutOf(text: string): Layout {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const unit = /[[{][ \t]*\r?\n([ \t]+)/.exec(text)?.[1] ?? '  ';
  return { eol, unit };
}

/** The space that the line of an offset begins with. */
function placeOf(text: string, offset: number): { readonly indent: string } {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return { indent: /^[ \t]*/.exec(text.slice(start))![0] };
}

interface Style extends Layout {
  readonly indent: string;
  readonly isFlat?: boolean;
  /** Whether objects in it stand on lines of their own, however short they are. */
  readonly isExploded?: boolean;
}

/** JSON on one line where it fits, except for what holds steps or actions. */
function print(value: Json, style: Style): string {
  const flat = flatOf(value);
  const { eol, indent, isExploded = false, isFlat = false, unit } = style;
  if (typeof value !== 'object' || value === null || isFlat) return flat;
  const isStep = 'normal' in value;
  const isShort = indent.length + flat.length <= WIDTH && (!isExploded || Array.isArray(value));
  if (!isStep && isShort) return flat;
  const inner = { ...style, indent: `${indent}${unit}` };
  const lines = Array.isArray(value)
    ? value.map((one: Json) => print(one, inner))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${print(one, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (lines.length === 0) return `${open}${close}`;
  const body = lines.map((line) => `${eol}${inner.indent}${line}`).join(',');
  return `${open}${body}${eol}${indent}${close}`;
}

function flatOf(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((one: Json) => flatOf(one)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}: ${flatOf(one)}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
