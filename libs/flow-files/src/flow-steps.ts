import { type Fields, KIND_NAMES, type KindName, recordOf, stepNames, textOf } from '#kinds';
import { clip } from './read-json.js';
import { joinPointer } from './json-pointer.js';
import { nearNameHint } from './near-name-hint.js';
import type { Finding, ProblemList } from './problem.js';
import type { WrittenStep } from './written-flow.js';

/** Where a list of steps stands in a file, and where to say what is wrong with them. */
export interface StepsPlace {
  readonly pointer: string;
  readonly problems: ProblemList;
  /** The word for it in messages. */
  readonly list: string;
  /** Whether another list of the flow has a step that is written with this name. */
  readonly isElsewhere: (name: string) => boolean;
}

/** Names of a list's steps, in order, after saying which of them are written twice. */
export function nameSteps(steps: readonly WrittenStep[], place: StepsPlace): readonly string[] {
  for (const found of sameNames(steps, place)) place.problems.add(found);
  return stepNames(steps as unknown as readonly Fields[]);
}

/** Names of a list's steps that one before has, in a list of any shape. */
export function* sameNames(
  steps: readonly unknown[],
  { list, pointer: at }: Pick<StepsPlace, 'list' | 'pointer'>,
): Generator<Finding> {
  const taken = new Set<string>();
  for (const [i, step] of steps.entries()) {
    const name = textOf(recordOf(step)['name']);
    if (name !== '' && taken.has(name)) {
      const message = `Another step of this ${list} is called \`${clip(name)}\` already.`;
      const hint = 'Give each step a name of its own.';
      const pointer = joinPointer(joinPointer(at, i), 'name');
      yield { pointer, code: 'DUPLICATE_STEP', message, hint };
    }
    taken.add(name);
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
