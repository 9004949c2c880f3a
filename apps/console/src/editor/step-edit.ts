import { getNodeValue } from 'jsonc-parser';
import type { Json } from '../api/shapes.js';
import { type Fields, recordOf, stepNames } from '#kinds';
import { insertItem, nodeAt, removeAt, setValue, swapItems, type TextPath } from './text-edit.js';

/** A module and one of its commands. */
export interface CommandName {
  readonly module: string;
  readonly command: string;
}

/** A step as it is to be. */
export interface StepChange {
  readonly name: string;
  /** Undefined: as it is, or as the chain has it. */
  readonly needs?: readonly string[];
  readonly normal?: CommandName;
  /** Null: it has no undo, as its author means it; undefined: that is not said. */
  readonly rollback?: CommandName | null | undefined;
  /** Fields of its parameters; undefined: it has no such member. */
  readonly parameters?: Readonly<Record<string, Json | undefined>>;
}

/** Where the list of the outermost steps stands in the text of a flow. */
export function stepsPath(text: string): TextPath {
  return nodeAt(text, [])?.type === 'array' ? [] : ['steps'];
}

/** The steps of a list as they are written. */
export function readSteps(text: string, list: TextPath): readonly Fields[] {
  const node = nodeAt(text, list);
  const value: unknown = node && getNodeValue(node);
  return Array.isArray(value) ? value.map(recordOf) : [];
}

/** Whether a list is a graph: with `needs` anywhere it is, and else a chain. */
export function isGraph(steps: readonly Fields[]): boolean {
  return steps.some(({ needs }) => needs !== undefined);
}

/** Adds a step behind a place in a list; -1: at its beginning. In a graph it needs that step. */
export function addStep(text: string, after: TextPath, change: StepChange): string {
  const [list, place] = splitPath(after);
  const before = readSteps(text, list);
  const holder = stepNames(before)[place];
  const { name, normal, parameters = {}, rollback } = change;
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const step = {
    name,
    ...(isGraph(before) && { needs: change.needs ?? (holder === undefined ? [] : [holder]) }),
    normal: { ...normal, ...(given.length > 0 && { parameters: Object.fromEntries(given) }) },
    ...(rollback !== undefined && { rollback: rollback === null ? null : { ...rollback } }),
  };
  const next = insertItem(text, [...list, place + 1], step as unknown as Json);
  const moved = before.map((_, old) => ({ old, now: old > place ? old + 1 : old }));
  return keepNames(next, list, { before, moved });
}

/** Takes a step away; what needed it needs what that had needed. */
export function removeStep(text: string, path: TextPath): string {
  const [list, place] = splitPath(path);
  const before = readSteps(text, list);
  const name = stepNames(before)[place] ?? '';
  const rest = before.filter((_, at) => at !== place);
  const inherited = needsOf(before[place] ?? {});
  let next = text;
  for (const [at, step] of before.entries()) {
    if (at === place || !needsOf(step).includes(name)) continue;
    const needs = needsOf(step).flatMap((need) => (need === name ? inherited : [need]));
    next = setValue(next, [...list, at, 'needs'], [...new Set(needs)]);
  }
  next = removeAt(next, path);
  // Without any `needs`, what had stood side by side would be a chain.
  if (isGraph(before) && !isGraph(rest) && rest.length > 1) {
    next = setValue(next, [...list, 0, 'needs'], []);
  }
  const moved = before.flatMap((_, old) =>
    old === place ? [] : [{ old, now: old > place ? old - 1 : old }],
  );
  return keepNames(next, list, { before, moved });
}

/** Moves a step to the place behind the next one, or before the one before it. */
export function moveStep(text: string, path: TextPath, by: -1 | 1): string {
  const [list, place] = splitPath(path);
  const before = readSteps(text, list);
  const other = place + by;
  if (before[other] === undefined) return text;
  const next = swapItems(text, [...list, Math.min(place, other)]);
  const moved = before.map((_, old) => {
    return { old, now: old === place ? other : old === other ? place : old };
  });
  return keepNames(next, list, { before, moved });
}

/** Has a chain say what each of its steps needs, so that it can be made a graph. */
export function sayNeeds(text: string, list: TextPath): string {
  const names = stepNames(readSteps(text, list));
  return names.reduce((next, _, place) => {
    const needs = names.slice(Math.max(0, place - 1), place);
    return setValue(next, [...list, place, 'needs'], needs);
  }, text);
}

/** Changes the members of a step that a form has. */
export function changeStep(text: string, path: TextPath, change: StepChange): string {
  const [list, place] = splitPath(path);
  const before = readSteps(text, list);
  const step = before[place] ?? {};
  const old = stepNames(before)[place] ?? '';
  const { name, needs, normal, parameters = {}, rollback } = change;
  let next = text;
  const isSame = normal === undefined || isCommand(step['normal'], normal);
  if (name !== old || (!isSame && step['name'] === undefined)) {
    next = setValue(next, [...path, 'name'], name);
  }
  for (const [at, other] of before.entries()) {
    if (name === old || !needsOf(other).includes(old)) continue;
    const renamed = needsOf(other).map((need) => (need === old ? name : need));
    next = setValue(next, [...list, at, 'needs'], renamed);
  }
  if (needs !== undefined && JSON.stringify(needs) !== JSON.stringify(needsOf(step))) {
    next = setValue(next, [...path, 'needs'], needs);
  }
  if (!isSame) next = setCommand(next, [...path, 'normal'], normal);
  if ('rollback' in change) next = setRollback(next, path, rollback);
  next = setParameters(next, [...path, 'normal', 'parameters'], parameters);
  return keepNames(next, list, { before, moved: others(before, place) });
}

function others(before: readonly Fields[], place: number): readonly Moved[] {
  return before.flatMap((_, old) => (old === place ? [] : [{ old, now: old }]));
}

function setRollback(text: string, step: TextPath, rollback: CommandName | null | undefined) {
  const path = [...step, 'rollback'];
  const node = nodeAt(text, path);
  if (rollback === undefined) return node === undefined ? text : removeAt(text, path);
  if (rollback === null) return node?.type === 'null' ? text : setValue(text, path, null);
  return setCommand(text, path, rollback);
}

function setCommand(text: string, path: TextPath, { command, module }: CommandName): string {
  if (nodeAt(text, path)?.type !== 'object') return setValue(text, path, { module, command });
  return setMember(setMember(text, [...path, 'module'], module), [...path, 'command'], command);
}

/** Writes a value, unless it stands there already. */
function setMember(text: string, path: TextPath, value: Json): string {
  const node = nodeAt(text, path);
  const isSame = node !== undefined && node.children === undefined && node.value === value;
  return isSame ? text : setValue(text, path, value);
}

function setParameters(
  text: string,
  path: TextPath,
  parameters: Readonly<Record<string, Json | undefined>>,
): string {
  let next = text;
  let isLess = false;
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) next = setMember(next, [...path, name], value);
    else if (nodeAt(next, [...path, name]) !== undefined) {
      next = removeAt(next, [...path, name]);
      isLess = true;
    }
  }
  const left = nodeAt(next, path);
  const isBare = left?.children?.length === 0 && /^\{\s*\}$/.test(sliceOf(next, left));
  return isLess && isBare ? removeAt(next, path) : next;
}

function sliceOf(text: string, { length, offset }: { length: number; offset: number }): string {
  return text.slice(offset, offset + length);
}

function isCommand(action: unknown, { command, module }: CommandName): boolean {
  const written = recordOf(action);
  return written['module'] === module && written['command'] === command;
}

interface Moved {
  readonly old: number;
  readonly now: number;
}

interface Kept {
  readonly before: readonly Fields[];
  /** Places of the steps that stay, as they were and as they are. */
  readonly moved: readonly Moved[];
}

/** A name that followed from the place of a step is written where it would be another one now. */
function keepNames(text: string, list: TextPath, { before, moved }: Kept): string {
  const names = stepNames(before);
  let next = text;
  // Each name that is written may move those that are not.
  for (let isDone = false; !isDone;) {
    const present = stepNames(readSteps(next, list));
    const lost = moved.find(({ now, old }) => present[now] !== names[old]);
    isDone = lost === undefined;
    if (lost !== undefined) next = setValue(next, [...list, lost.now, 'name'], names[lost.old]!);
  }
  return next;
}

function needsOf({ needs }: Fields): readonly string[] {
  return Array.isArray(needs) ? needs.filter((need) => typeof need === 'string') : [];
}

/** The list that a step is in, and its place there. */
function splitPath(path: TextPath): readonly [TextPath, number] {
  return [path.slice(0, -1), Number(path.at(-1))];
}
