import { innerMembers, OWN_MEMBERS } from '#kinds';
import { findNodeAtLocation, getLocation, type Node, parseTree } from 'jsonc-parser';
import { resolved, type Schema, schemaAt, typesOf } from './schema-walk.js';

/** The names that the server knows, for the author to choose from. */
export interface Known {
  /** JSON Schemas of parameters by `module.command`; null: it takes any. */
  readonly commands: ReadonlyMap<string, object | null>;
  readonly flows: readonly string[];
  /** By `module.command`, the command that undoes it as the defaults of commands say. */
  readonly undos?: ReadonlyMap<string, string>;
}

/** Something that may be written. */
export interface Suggestion {
  readonly label: string;
  /** The text that comes in the place of the present one. */
  readonly text: string;
  /** How far from the end of the text the cursor is put. */
  readonly back: number;
  readonly about: string;
}

/** The texts that may be written at a place, and the range that they replace. */
export interface Suggestions {
  readonly from: number;
  readonly to: number;
  /** Where what was typed of a word begins, its quote left out. */
  readonly typedFrom: number;
  readonly items: readonly Suggestion[];
}

/** Where the author is. */
interface Place {
  readonly root: Node;
  readonly path: readonly (string | number)[];
  readonly known: Known;
}

const OPEN: Readonly<Record<string, string>> = { object: '{}', array: '[]', string: '""' };

/** Suggests texts for an offset in the text of a flow. */
export function suggest(text: string, offset: number, known: Known): Suggestions | null {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const { isAtPropertyKey, path, previousNode } = getLocation(text, offset);
  if (root === undefined) return null;
  const place = { root, path: path.filter((part) => part !== ''), known };
  const items = isAtPropertyKey ? keysAt({ ...place, path: path.slice(0, -1) }) : valuesAt(place);
  const isWord = previousNode !== undefined && isInside(previousNode, offset);
  const from = isWord ? previousNode.offset : wordStart(text, offset);
  const to = isWord ? previousNode.offset + previousNode.length : offset;
  // A quote that is not closed would take the rest of its line.
  const end = text.slice(from, to).includes('\n') ? offset : to;
  const isKey = isAtPropertyKey && /^\s*:/.test(text.slice(end));
  const shown = isKey ? items.map(bareKey) : items;
  if (shown.length === 0) return null;
  return { from, to: end, typedFrom: text[from] === '"' ? from + 1 : from, items: shown };
}

function isInside({ length, offset: start, type }: Node, offset: number): boolean {
  return type !== 'object' && type !== 'array' && start < offset && offset <= start + length;
}

function wordStart(text: string, offset: number): number {
  let start = offset;
  while (start > 0 && /[\w-]/.test(text[start - 1] ?? '')) start -= 1;
  return start;
}

function bareKey(item: Suggestion): Suggestion {
  return { ...item, text: JSON.stringify(item.label), back: 0 };
}

function keysAt(place: Place): readonly Suggestion[] {
  const { path, root } = place;
  const schema = parametersAt(place) ?? schemaAt(path);
  const present = findNodeAtLocation(root, [...path])?.children ?? [];
  const taken = new Set(present.map(({ children }) => children?.[0]?.value as unknown));
  return Object.entries(schema?.properties ?? {})
    .filter(([name]) => !taken.has(name))
    .map(([name, member]) => {
      const { description = '', title = '', ...rest } = resolved(member) ?? {};
      const open = OPEN[typesOf(rest)[0] ?? ''] ?? '';
      const text = `${JSON.stringify(name)}: ${open}`;
      return { label: name, text, back: open === '' ? 0 : 1, about: description || title };
    });
}

/** The parameters of the command of an action, where the path leads into them. */
function parametersAt({ known, path, root }: Place): Schema | null {
  const at = path.lastIndexOf('parameters');
  const half = path[at - 1];
  if (at !== path.length - 1 || (half !== 'normal' && half !== 'rollback')) return null;
  const command = commandAt(root, path.slice(0, at));
  return known.commands.get(command) ?? null;
}

function commandAt(root: Node, action: readonly (string | number)[]): string {
  const valueOf = (member: string): unknown =>
    findNodeAtLocation(root, [...action, member])?.value as unknown;
  return `${String(valueOf('module'))}.${String(valueOf('command'))}`;
}

function valuesAt(place: Place): readonly Suggestion[] {
  const named = namesAt(place);
  if (named !== null) return named.map((name) => valueItem(name, ''));
  const schema = schemaAt(place.path);
  if (schema === null) return [];
  const { description = '', enum: choices = [], examples = [], title = '' } = schema;
  const about = description || title;
  const fixed = typesOf(schema).includes('boolean') ? [true, false] : [];
  const values = [...choices, ...fixed, ...examples].map((value) => valueItem(value, about));
  return values.filter(({ text }, at) => values.findIndex((one) => one.text === text) === at);
}

function valueItem(value: unknown, about: string): Suggestion {
  const text = JSON.stringify(value);
  const label = typeof value === 'string' ? value : text.slice(0, 60);
  return { label, text, back: 0, about };
}

/** Names that others announce or that stand in the text; null: other things stand here. */
function namesAt({ known, path, root }: Place): readonly string[] | null {
  const [last, before] = [path.at(-1), path.at(-2)];
  const commands = [...known.commands.keys()].map(split);
  if (isAction(before) && last === 'module') return unique(commands.map(([module]) => module));
  if (isAction(before) && last === 'command') {
    const module = findNodeAtLocation(root, [...path.slice(0, -1), 'module'])?.value as unknown;
    return commands.filter(([of]) => of === module).map(([, command]) => command);
  }
  if (last === 'failureFlow' || isFlowName(before, last)) return known.flows;
  const at = path.lastIndexOf('needs');
  return at === -1 || at < path.length - 2 ? null : siblings(root, path.slice(0, at));
}

/** Whether a member of a member of a step is declared to be the name of a flow. */
function isFlowName(holder: string | number | undefined, name: string | number | undefined) {
  const member = OWN_MEMBERS.get(String(holder));
  const inner = member === undefined ? [] : innerMembers(member);
  return inner.some(([own, { type }]) => own === name && type === 'flow');
}

function isAction(part: string | number | undefined): boolean {
  return part === 'normal' || part === 'rollback';
}

/** Modules have no dot in their names that matters: the first one ends them. */
function split(command: string): readonly [string, string] {
  const dot = command.indexOf('.');
  return [command.slice(0, dot), command.slice(dot + 1)];
}

/** Names of the other steps in the list of a step. */
function siblings(root: Node, step: readonly (string | number)[]): readonly string[] {
  const list = findNodeAtLocation(root, step.slice(0, -1))?.children ?? [];
  return list.flatMap((node, index) => {
    if (index === step.at(-1)) return [];
    const name = (
      findNodeAtLocation(node, ['name']) ?? findNodeAtLocation(node, ['normal', 'command'])
    )?.value as unknown;
    return typeof name === 'string' ? [name] : [];
  });
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
