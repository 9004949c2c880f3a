import type { Task } from '#core';
import {
  type AttemptPlace,
  type Clock,
  OUTPUT,
  outputId,
  type OutputPart,
  outputPrefix,
  PROGRESS,
  type Records,
  recordsOf,
  type RecordStore,
} from '#ports';
import type { CommonParts, OutputParts } from '../options.js';
import type { Shown } from '../requests/shown.js';
import { ProgressView } from './progress-view.js';

/** A line as it is answered. */
type PublicLine = Shown<'LogLine'>;

/** Which attempts of a task are meant; absent members do not restrict. */
export interface OutputFilter {
  /** Name of a step. */
  readonly step?: string | undefined;
  /** Id of a run. */
  readonly run?: string | undefined;
  readonly direction?: string | undefined;
  readonly attempt?: number | undefined;
}

/** A place in the lines of a task: of its line, and of the part that has it. */
export interface LinePlace {
  /** When the part was begun, milliseconds since 1970. */
  readonly since: number;
  /** Id of the part. */
  readonly id: string;
  /** Number of the line. */
  readonly line: number;
}

/** A part and those of its lines that are wanted. */
interface WantedLines {
  readonly part: OutputPart;
  /** Number of the line of the attempt before them; 0: there is none. */
  readonly before: number;
}

/** The records that output is read from. */
export type OutputRecords = Records<OutputPart, 'changed' | 'task'>;

/** Parts that are read at a time. */
const PARTS = 50;

/** The records of output in a store. */
function outputIn(records: RecordStore): OutputRecords {
  return recordsOf(records, OUTPUT);
}

/** Whether this is an attempt that is meant. */
export function fits(
  place: AttemptPlace,
  { attempt, direction, run, step }: OutputFilter,
): boolean {
  return (
    (step ?? place.step) === place.step &&
    (run ?? place.run) === place.run &&
    (direction ?? place.direction) === place.direction &&
    (attempt ?? place.attempt) === place.attempt
  );
}

/**
 * The lines of a part behind one of the attempt, as they are answered. The first one behind missing
 * lines says how many these are.
 */
export function linesOf({ before, part }: WantedLines): readonly PublicLine[] {
  const { attempt, direction, lines, run, step } = part;
  let last = before;
  return lines.flatMap(({ at, level, message, number }): readonly PublicLine[] => {
    if (number <= before) return [];
    const dropped = number - last - 1;
    last = number;
    const place = { step, run, direction, attempt, line: number };
    const told = { at: new Date(at).toISOString(), ...(level !== null && { level }), message };
    return [{ ...place, ...told, ...(dropped > 0 && { dropped }) }];
  });
}

/** A page of lines. */
interface LinePage {
  readonly lines: readonly PublicLine[];
  /** The last one; null: nothing is behind it. */
  readonly next: LinePlace | null;
}

/** The order for a page. */
interface PageOrder {
  readonly task: Task;
  readonly filter: OutputFilter;
  readonly after: LinePlace | null;
  readonly limit: number;
}

/**
 * Reads the lines of a task page by page: parts in the order in which they were begun, so that each
 * attempt's lines are in order, and a part that grows meanwhile is read on. Until `signal` is
 * aborted.
 */
export async function readPage(
  records: OutputRecords,
  { after, filter, limit, task }: PageOrder,
  signal: AbortSignal,
): Promise<LinePage> {
  const lines: PublicLine[] = [];
  const seen = new LastLines(records, after);
  for await (const part of partsFrom(records, task.plan.taskId, after)) {
    if (signal.aborted) break;
    if (!fits(part, filter)) continue;
    const before = await seen.before(part);
    const found = linesOf({ part, before });
    const room = limit - lines.length;
    lines.push(...found.slice(0, room));
    if (found.length > room) {
      const line = lines.at(-1)?.line ?? 0;
      const isHere = room > 0;
      return { lines, next: isHere ? placeOf(part, line) : seen.last };
    }
    if (found.length > 0) seen.take(part);
  }
  return { lines, next: null };
}

function placeOf(part: OutputPart, line: number): LinePlace {
  return { since: part.since, id: OUTPUT.idOf(part), line };
}

/** The parts from the one of a place on. */
async function* partsFrom(
  records: OutputRecords,
  taskId: string,
  after: LinePlace | null,
): AsyncGenerator<OutputPart> {
  const query = { index: 'task', of: [taskId], from: after?.since, limit: PARTS } as const;
  let behind: { readonly at: number; readonly id: string } | undefined;
  for (;;) {
    const found: readonly OutputPart[] = await records.list({ ...query, after: behind });
    for (const part of found) {
      const isBefore = part.since === after?.since && OUTPUT.idOf(part) < after.id;
      if (!isBefore) yield part;
    }
    const last = found.at(-1);
    if (last === undefined || found.length < PARTS) return;
    behind = { at: last.since, id: OUTPUT.idOf(last) };
  }
}

/** The last line of each attempt that was read, by which the next one knows what is missing. */
class LastLines {
  /** The last line of the page so far. */
  last: LinePlace | null;
  private readonly numbers = new Map<string, number>();

  constructor(
    private readonly records: OutputRecords,
    private readonly after: LinePlace | null,
  ) {
    this.last = after;
  }

  /** The number of the line before those of a part that are wanted. */
  async before(part: OutputPart): Promise<number> {
    const known = this.numbers.get(outputPrefix(part));
    if (known !== undefined) return known;
    if (this.after?.id === OUTPUT.idOf(part)) return this.after.line;
    // An earlier page may have had the part before.
    const isFirst = this.after === null || part.part === 0;
    const earlier = isFirst ? null : await this.records.get(outputId(part, part.part - 1));
    return earlier?.lines.at(-1)?.number ?? 0;
  }

  take(part: OutputPart): void {
    const line = part.lines.at(-1)?.number ?? 0;
    this.numbers.set(outputPrefix(part), line);
    this.last = placeOf(part, line);
  }
}

/** The parts of a gateway by which it shows what attempts say. */
export function outputParts(
  records: RecordStore,
  clock: Clock,
): OutputParts & Pick<CommonParts, 'progress'> {
  const progress = new ProgressView(records, clock);
  return { output: outputIn(records), progresses: recordsOf(records, PROGRESS), progress };
}
