import {
  OUTPUT,
  outputId,
  type OutputPart,
  progressId,
  type Records,
  type StoredProgress,
} from '#ports';
import { LineMark } from './line-mark.js';
import { fits, linesOf, type OutputFilter, type OutputRecords } from './output-lines.js';
import { presentProgress } from './progress-view.js';

/** A write may be seen so much later than others of its time, in milliseconds. */
const LATE_MS = 10_000;

/** Parts that are read at a time. */
const PARTS = 50;

/** Progress that is read at a time; more attempts of one task hardly run at once. */
const PROGRESSES = 200;

/** The records that news are read from. */
interface NewsRecords {
  readonly output: OutputRecords;
  readonly progresses: Records<StoredProgress, 'changed' | 'task'>;
}

/** Something that a stream tells. */
export interface NewsItem {
  readonly event: 'line' | 'progress';
  /** Where a reader goes on after it; absent: where it was. */
  readonly id?: string;
  readonly data: object;
}

/** The output of one task for one reader: every look has what is new since the one before. */
export class OutputNews {
  private readonly mark: LineMark;
  private readonly isReturning: boolean;
  /** The progress that was told, by the ids of attempts. */
  private progress = new Map<string, string>();

  constructor(
    private readonly records: NewsRecords,
    private readonly wanted: { readonly taskId: string; readonly filter: OutputFilter },
    mark: string | undefined,
  ) {
    this.mark = new LineMark(mark);
    this.isReturning = this.mark.at > 0;
  }

  /** Throws `StoreUnavailable`; the next look then has all that is new. */
  async look(): Promise<readonly NewsItem[]> {
    return [...(await this.newLines()), ...(await this.newProgress())];
  }

  private async newLines(): Promise<readonly NewsItem[]> {
    const items: NewsItem[] = [];
    const from = this.mark.at - LATE_MS;
    const { filter, taskId } = this.wanted;
    const query = { index: 'changed', of: [taskId], limit: PARTS } as const;
    let after: { readonly at: number; readonly id: string } | undefined;
    for (;;) {
      const bounds = { after, ...(from > 0 && { from }) };
      const parts: readonly OutputPart[] = await this.records.output.list({ ...query, ...bounds });
      for (const part of parts) if (fits(part, filter)) items.push(...this.newIn(part));
      const last = parts.at(-1);
      if (last === undefined || parts.length < PARTS) return items;
      after = { at: last.changedAt, id: OUTPUT.idOf(last) };
    }
  }

  private newIn(part: OutputPart): readonly NewsItem[] {
    const id = OUTPUT.idOf(part);
    const before = this.mark.lineOf(id) || this.lineBefore(part);
    return linesOf({ part, before }).map((data) => {
      this.mark.take(id, data.line, part.changedAt);
      return { event: 'line', id: this.mark.id, data };
    });
  }

  /** The line before a part that is new to the reader. */
  private lineBefore(part: OutputPart): number {
    const earlier = part.part === 0 ? 0 : this.mark.lineOf(outputId(part, part.part - 1));
    // A reader that comes back may have had it: no id names all parts.
    if (earlier > 0 || !this.isReturning) return earlier;
    return (part.lines[0]?.number ?? 1) - 1;
  }

  private async newProgress(): Promise<readonly NewsItem[]> {
    const { filter, taskId } = this.wanted;
    const query = { index: 'task', of: [taskId], limit: PROGRESSES } as const;
    const found = await this.records.progresses.list(query);
    const before = this.progress;
    this.progress = new Map();
    return found.flatMap((each): readonly NewsItem[] => {
      const { attempt, direction, run, step } = each;
      const told = presentProgress(each);
      if (!fits(each, filter) || told === null) return [];
      const key = progressId(each);
      const text = JSON.stringify(told);
      this.progress.set(key, text);
      if (before.get(key) === text) return [];
      return [{ event: 'progress', data: { step, run, direction, attempt, ...told } }];
    });
  }
}
