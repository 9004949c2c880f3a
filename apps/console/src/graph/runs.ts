import { GRAPH } from '../words/graph.js';
import { holdersOf, UNFOLDED_MAX } from './folding.js';
import type { GraphScope, GraphStep } from './graph-model.js';

/** The facts that decide which steps stand by themselves. */
interface RunTerms {
  /** Whether somebody has opened the run of this id. */
  readonly isOpen: (id: string) => boolean;
  /** Id of the step that is shown beside the graph. */
  readonly picked: string | null;
}

/** Steps at each end of a stretch that stand by themselves: what it follows can be seen there. */
const EDGE = 5;
/** Most steps that open at once. */
const RUN_MAX = 100;
/** Fewer stand by themselves. */
const RUN_MIN = 3;
/** Most steps of a list that stand by themselves because they are under way. */
const ACTIVE_MAX = 20;

const FAILED: ReadonlySet<string> = new Set(['failed', 'timed_out', 'terminated']);
const ACTIVE: ReadonlySet<string> = new Set(['queued', 'running', 'waiting']);

/**
 * Steps of long lists in runs: one entry that holds steps which follow each other, or stand side by
 * side, and of which nothing has to be seen. Those that failed, were stopped, are under way or are
 * picked stand by themselves, unless somebody has opened the run that they are in.
 */
export function withRuns(steps: readonly GraphStep[], terms: RunTerms): readonly GraphStep[] {
  const inner = steps.map((step): GraphStep => {
    const scopes = fewScopes(step.scopes, terms).map((scope) => {
      return { ...scope, steps: withRuns(scope.steps, terms) };
    });
    return scopes.length === 0 ? step : { ...step, scopes };
  });
  if (steps.length <= UNFOLDED_MAX) return inner;
  const isSeen = seenOf(terms);
  const parts = stretchesOf(inner).flatMap(chunksOf);
  const entries = parts.flatMap((part) => entriesOf(inner, part, { ...terms, isSeen }));
  return linked(entries);
}

/** A step with more scopes, such as a loop with many rounds, draws the last ones alone. */
const SCOPES_MAX = 8;
const SCOPES_LAST = 3;

/** Scopes of which nothing has to be seen are one entry that says how many they are. */
function fewScopes(scopes: readonly GraphScope[], terms: RunTerms): readonly GraphScope[] {
  if (scopes.length <= SCOPES_MAX) return scopes;
  const isSeen = seenOf(terms);
  const few: GraphScope[] = [];
  let hidden: GraphScope[] = [];
  for (const [place, scope] of scopes.entries()) {
    const isLast = place >= scopes.length - SCOPES_LAST;
    if (isLast || scope.steps.some(isSeen)) {
      if (hidden.length > 0) few.push(gathered(hidden, place));
      hidden = [];
      few.push({ ...scope, place });
    } else hidden.push(scope);
  }
  return few;
}

/** The entry for scopes right before a place. */
function gathered(scopes: readonly GraphScope[], before: number): GraphScope {
  const [first, last] = [scopes[0]?.title ?? '', scopes.at(-1)?.title ?? ''];
  const title = scopes.length === 1 ? first : GRAPH.scopes(first, last);
  const one = { isBack: false, isUndone: false, steps: [] };
  // Between two places, which no scope has.
  return { ...one, title, place: before - scopes.length - 0.5, count: scopes.length };
}

/** Steps from one place of a list up to another, and whether they may be a run. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly isRun: boolean;
}

/** The list in stretches of steps that are linked alike, and can be drawn as one. */
function stretchesOf(steps: readonly GraphStep[]): readonly Part[] {
  const isLinked = linksOf(steps);
  const stretches: Part[] = [];
  let from = 0;
  let kind = '';
  for (let place = 1; place <= steps.length; place += 1) {
    const next = place === steps.length ? '' : isLinked(place);
    const goesOn = next !== '' && (place - from === 1 || next === kind);
    if (goesOn) kind = next;
    else {
      stretches.push({ from, to: place, isRun: true });
      from = place;
    }
  }
  return stretches;
}

/** How a step goes with the one before it in the list; empty: it does not. */
function linksOf(steps: readonly GraphStep[]): (place: number) => 'chain' | 'beside' | '' {
  const followers = new Map<string, string[]>();
  for (const { name, needs } of steps) {
    for (const need of needs) followers.set(need, [...(followers.get(need) ?? []), name]);
  }
  const listOf = (names: readonly string[] = []): string => JSON.stringify(names);
  return (place) => {
    const [before, step] = [steps[place - 1], steps[place]];
    if (before === undefined || step === undefined) return '';
    const after = listOf(followers.get(before.name));
    if (listOf(step.needs) === listOf([before.name]) && after === listOf([step.name])) {
      return 'chain';
    }
    const isBeside = listOf(step.needs) === listOf(before.needs);
    return isBeside && after === listOf(followers.get(step.name)) ? 'beside' : '';
  };
}

/** The ends of a stretch by themselves, and what is between them in runs that can be opened. */
function chunksOf({ from, to }: Part): readonly Part[] {
  const [first, last] = [from + EDGE, to - EDGE];
  if (last - first < RUN_MIN) return [{ from, to, isRun: false }];
  const count = Math.ceil((last - first) / RUN_MAX);
  const size = Math.ceil((last - first) / count);
  const chunks = Array.from({ length: count }, (_, n): Part => {
    return { from: first + n * size, to: Math.min(last, first + (n + 1) * size), isRun: true };
  });
  return [{ from, to: first, isRun: false }, ...chunks, { from: last, to, isRun: false }];
}

interface EntryTerms extends RunTerms {
  readonly isSeen: (step: GraphStep) => boolean;
}

/** A run, or its steps; a run that is folded is cut where a step has to be seen. */
function entriesOf(
  steps: readonly GraphStep[],
  { from, isRun, to }: Part,
  { isOpen, isSeen }: EntryTerms,
): readonly GraphStep[] {
  const own = steps.slice(from, to);
  const id = `${own[0]?.id} run`;
  if (!isRun) return own;
  if (isOpen(id)) return [runOf(own, { id, run: id, first: from + 1 })];
  const entries: GraphStep[] = [];
  let cut = 0;
  for (let place = 0; place <= own.length; place += 1) {
    const step = own[place];
    if (step !== undefined && !isSeen(step)) continue;
    const piece = own.slice(cut, place);
    const pieceId = cut === 0 ? id : `${id} ${cut}`;
    if (piece.length < RUN_MIN) entries.push(...piece);
    else entries.push(runOf(piece, { id: pieceId, run: id, first: from + cut + 1 }));
    if (step !== undefined) entries.push(step);
    cut = place + 1;
  }
  return entries;
}

interface RunPlace {
  readonly id: string;
  /** The fold that it opens. */
  readonly run: string;
  /** Number of its first step in the list. */
  readonly first: number;
}

function runOf(steps: readonly GraphStep[], { first, id, run }: RunPlace): GraphStep {
  const name = GRAPH.run(first, first + steps.length - 1);
  return {
    id,
    name,
    label: name,
    kind: 'run',
    run,
    state: steps[0]?.state ?? '',
    command: '',
    undo: steps.at(-1)?.undo ?? null,
    needs: steps[0]?.needs ?? [],
    scopes: [{ title: name, isBack: false, isUndone: false, steps }],
    attempts: 0,
    isPivot: false,
  };
}

/** An entry that needs a step of a run needs the run. */
function linked(entries: readonly GraphStep[]): readonly GraphStep[] {
  const runs = entries.filter(({ run }) => run !== undefined);
  const names = new Map(
    runs.flatMap(({ name, scopes }) =>
      (scopes[0]?.steps ?? []).map((step) => [step.name, name] as const),
    ),
  );
  return entries.map((entry) => {
    const needs = new Set(entry.needs.map((need) => names.get(need) ?? need));
    return { ...entry, needs: [...needs] };
  });
}

function seenOf({ picked }: RunTerms): (step: GraphStep) => boolean {
  let active = 0;
  return (step) => {
    const states = [step.state, step.undo?.state ?? ''];
    if (step.isPivot || states.some((state) => FAILED.has(state))) return true;
    const isPicked =
      step.id === picked || (picked !== null && holdersOf([step], picked).length > 0);
    if (isPicked) return true;
    if (!states.some((state) => ACTIVE.has(state))) return false;
    active += 1;
    return active <= ACTIVE_MAX;
  };
}

/** How the steps of a run fare, in words: so many of each state, and of their undos. */
export function runWords({ scopes }: GraphStep, wordOf: (state: string) => string): string {
  const counts = new Map<string, number>();
  for (const { state, undo } of scopes.flatMap(({ steps }) => steps)) {
    const undoing = undo?.state ?? '';
    const isBack = undoing !== '' && undoing !== 'none';
    const word = isBack ? GRAPH.undo(wordOf(undoing)).toLowerCase() : wordOf(state);
    if (state !== '') counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
}
