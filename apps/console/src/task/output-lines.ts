import type { AttemptProgress, LogLine } from '../api/output-shapes.js';

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

/** The page keeps this number of lines: an attempt that writes for days has no end of them. */
const LINES_MAX = 3_000;

type Said = AttemptProgress | LogLine;

/** The output with what came since; what is there already comes again after a lost connection. */
export function withNews(output: Output, news: readonly Said[]): Output {
  const last = new Map<string, number>();
  for (const line of output.lines) last.set(nameOf(line), line.line);
  const progress = new Map(output.progress);
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
  return { lines: [...output.lines, ...fresh].slice(-LINES_MAX), progress };
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
