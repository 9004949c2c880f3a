import type { AttemptProgress, LogLine } from '../api/output-shapes.js';
import type { Task } from '../api/shapes.js';
import { allSteps } from './steps.js';

/** The output of the attempts of a task, or of one run of a step. */
export interface Output {
  /** The newest of them, in the order in which they came. */
  readonly lines: readonly LogLine[];
  /** The last progress of running attempts, by their names. */
  readonly progress: ReadonlyMap<string, AttemptProgress>;
}

/** Lines of one attempt that stand together. */
export interface OutputBlock extends AttemptName {
  readonly lines: readonly LogLine[];
}

/** An attempt of a run of a step. */
type AttemptName = Pick<LogLine, 'attempt' | 'direction' | 'run'>;

/** Nothing was said. */
export const SILENT: Output = { lines: [], progress: new Map() };

/** The page keeps so many lines of a run, and of all: attempts that write for days have no end. */
const LINES_MAX = { run: 3_000, all: 12_000 } as const;

type Said = AttemptProgress | LogLine;

/** The output with what came since; what is there already comes again after a lost connection. */
export function withNews(output: Output, news: readonly Said[]): Output {
  const last = new Map<string, number>();
  for (const line of output.lines) last.set(nameOf(line), line.line);
  const progress = new Map<string, AttemptProgress>();
  const fresh: LogLine[] = [];
  for (const said of news) {
    const name = nameOf(said);
    if (!('line' in said)) {
      progress.set(name, said);
    } else if (said.line > (last.get(name) ?? 0)) {
      last.set(name, said.line);
      fresh.push(said);
    }
  }
  return {
    lines: fresh.length === 0 ? output.lines : newest([...output.lines, ...fresh]),
    // The same object where nothing differs: it is not drawn again.
    progress: progress.size === 0 ? output.progress : new Map([...output.progress, ...progress]),
  };
}

/** Without the oldest lines of runs that wrote more than is kept: they hide those of no other. */
function newest(lines: readonly LogLine[]): readonly LogLine[] {
  if (lines.length <= LINES_MAX.run) return lines;
  const left = new Map<string, number>();
  const kept = lines.toReversed().filter(({ run }) => {
    const count = left.get(run) ?? LINES_MAX.run;
    left.set(run, count - 1);
    return count > 0;
  });
  return kept.slice(0, LINES_MAX.all).toReversed();
}

/** How far the attempts are that run now, of those that have said so. */
export function runningOf(
  { steps }: Pick<Task, 'steps'>,
  { progress }: Pick<Output, 'progress'>,
): readonly AttemptProgress[] {
  if (progress.size === 0) return [];
  return allSteps(steps).flatMap(({ step }) => {
    const halves = [
      ['normal', step],
      ['rollback', step.rollback],
    ] as const;
    return halves.flatMap(([direction, run]) => {
      if (run?.state !== 'running') return [];
      return progress.get(nameOf({ direction, attempt: run.attempts, run: step.id })) ?? [];
    });
  });
}

/** The lines by the attempts that wrote them. */
export function blocksOf(lines: readonly LogLine[]): readonly OutputBlock[] {
  const blocks: (AttemptName & { readonly lines: LogLine[] })[] = [];
  for (const line of lines) {
    const { attempt, direction, run } = line;
    const last = blocks.at(-1);
    if (last !== undefined && nameOf(last) === nameOf(line)) last.lines.push(line);
    else blocks.push({ attempt, direction, run, lines: [line] });
  }
  return blocks;
}

/** The name of an attempt of a run. */
export function nameOf({ attempt, direction, run }: AttemptName): string {
  return `${direction} ${attempt} ${run}`;
}
