import { KIND_NAMES, type KindName } from '#kinds';
import { clip } from './read-json.js';
import { joinPointer } from './json-pointer.js';
import { nearNameHint } from './near-name-hint.js';
import type { ProblemList } from './problem.js';
import type { WrittenStep } from './written-flow.js';

/** Where a list of steps stands in a file, and where to say what is wrong with them. */
interface StepsPlace {
  readonly pointer: string;
  readonly problems: ProblemList;
  /** The word for it in messages. */
  readonly list: string;
  /** Whether another list of the flow has a step that is written with this name. */
  readonly isElsewhere: (name: string) => boolean;
}

/**
 * Names of a list's steps, in order: as written, else after the normal command, or the member that
 * makes the step, made unique with `-2`, `-3`. Written names are never changed, so that a made-up
 * one gives way to them.
 */
export function nameSteps(steps: readonly WrittenStep[], place: StepsPlace): readonly string[] {
  const taken = new Set<string>();
  for (const [i, { name }] of steps.entries()) {
    if (name === undefined) continue;
    if (taken.has(name)) reportDuplicate(joinPointer(joinPointer(place.pointer, i), 'name'), name);
    taken.add(name);
  }
  const counts = new Map<string, number>();
  return steps.map((step) => step.name ?? freeName(step.normal?.command ?? kindOf(step)));

  function freeName(command: string): string {
    for (let count = (counts.get(command) ?? 0) + 1; ; count += 1) {
      const name = count === 1 ? command : `${command}-${count}`;
      if (taken.has(name)) continue;
      taken.add(name);
      counts.set(command, count);
      return name;
    }
  }

  function reportDuplicate(pointer: string, name: string): void {
    const message = `Another step of this ${place.list} is called \`${clip(name)}\` already.`;
    const hint = 'Give each step a name of its own.';
    place.problems.add({ pointer, code: 'DUPLICATE_STEP', message, hint });
  }
}

/** The member that makes a step. */
export function kindOf(step: WrittenStep): KindName {
  return KIND_NAMES.find((kind) => step[kind] !== undefined) ?? 'normal';
}

/**
 * The steps that each step needs, as positions in ascending order. Where no step has `needs`, each
 * needs the one before it; where any has it, a step without `needs` needs nothing.
 */
export function orderSteps(
  steps: readonly WrittenStep[],
  names: readonly string[],
  place: StepsPlace,
): readonly (readonly number[])[] {
  if (steps.every(({ needs }) => needs === undefined)) {
    return steps.map((_step, i) => (i === 0 ? [] : [i - 1]));
  }
  const positions = new Map(names.map((name, i) => [name, i]));
  const needs = steps.map((step, i) => {
    const pointer = joinPointer(joinPointer(place.pointer, i), 'needs');
    const found = (step.needs ?? []).map((name, j) => {
      const position = positions.get(name);
      if (position === undefined) reportUnknown(joinPointer(pointer, j), name, i);
      return position;
    });
    return found.filter((position) => position !== undefined).toSorted((a, b) => a - b);
  });
  reportCycle(needs, names, place);
  return needs;

  function reportUnknown(pointer: string, name: string, i: number): void {
    const { problems } = place;
    const others = names.filter((_name, position) => position !== i);
    const hint = problems.isFull ? '' : hintFor(name, others, place);
    const message = `No step of this ${place.list} is called \`${clip(name)}\`.`;
    problems.add({ pointer, code: 'UNKNOWN_STEP', message, hint });
  }
}

function hintFor(name: string, others: readonly string[], place: StepsPlace): string {
  if (!place.isElsewhere(name)) return nearNameHint(name, others);
  const holder = place.list === 'group' ? 'a group' : 'the step around a list';
  return `Name steps of the same list: ${holder} begins when what it needs itself has succeeded.`;
}

/** Says which steps wait for each other, at the first of them. */
function reportCycle(
  needs: readonly (readonly number[])[],
  names: readonly string[],
  { pointer, problems }: StepsPlace,
): void {
  const cycle = findCycle(needs);
  const [first] = cycle;
  if (first === undefined) return;
  const words = [...cycle, first].map((i) => `\`${clip(names[i] ?? '')}\``);
  const shown = words.length <= 8 ? words : [...words.slice(0, 6), '...', ...words.slice(-1)];
  const message =
    cycle.length === 1
      ? `Step ${shown[0]} needs itself and could never start.`
      : `These steps wait for each other and could never start: ${shown.join(' needs ')}.`;
  const at = joinPointer(joinPointer(pointer, first), 'needs');
  const hint = 'Remove one of these from `needs`.';
  problems.add({ pointer: at, code: 'CYCLIC_NEEDS', message, hint });
}

/** Positions that need each other in a ring, the smallest first; empty where there is no ring. */
function findCycle(needs: readonly (readonly number[])[]): readonly number[] {
  const dependents: number[][] = needs.map(() => []);
  for (const [i, list] of needs.entries()) for (const need of list) dependents[need]?.push(i);
  const open = needs.map((list) => list.length);
  const ready = [...needs.keys()].filter((i) => open[i] === 0);
  for (const done of ready) {
    open[done] = -1;
    for (const next of dependents[done] ?? []) {
      open[next] = (open[next] ?? 0) - 1;
      if (open[next] === 0) ready.push(next);
    }
  }
  // Whatever is still open needs something open, so following that leads into a ring.
  const path: number[] = [];
  let current = open.findIndex((count) => count > 0);
  if (current === -1) return [];
  while (!path.includes(current)) {
    path.push(current);
    current = needs[current]?.find((need) => (open[need] ?? 0) > 0) ?? current;
  }
  const ring = path.slice(path.indexOf(current));
  const start = ring.indexOf(Math.min(...ring));
  return [...ring.slice(start), ...ring.slice(0, start)];
}
