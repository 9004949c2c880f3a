import { readFileSync } from 'node:fs';
import path from 'node:path';
import { waitUntil } from '../servers/wait-until.js';

const WITHIN_MS = 60_000;

/** A line that a command of a client has written. */
export interface JournalLine {
  readonly event: string;
  readonly command: string;
  readonly taskId: string;
  readonly step: string;
  readonly run: string;
  readonly direction: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly forwardKey: string | null;
  readonly fencingToken: number;
  readonly completionToken?: string;
}

/** The file in which commands of a client write what they do. */
export class ClientJournal {
  constructor(private readonly folder: string) {}

  linesOf(taskId: string): readonly JournalLine[] {
    return this.lines().filter((line) => line.taskId === taskId);
  }

  /** Those of all tasks. */
  lines(): readonly JournalLine[] {
    let text = '';
    try {
      text = readFileSync(path.join(this.folder, 'journal.jsonl'), 'utf8');
    } catch {
      // No command has written anything yet.
    }
    const lines = text.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as JournalLine);
  }

  /** Resolves to the line of a task that has these words. */
  async until(taskId: string, words: string): Promise<JournalLine> {
    let found: JournalLine | undefined;
    const probe = async (): Promise<void> => {
      const lines = this.linesOf(taskId);
      found = lines.find((line) => wordsOf(line) === words);
      if (found === undefined) throw new Error(`it has ${JSON.stringify(lines.map(wordsOf))}`);
    };
    await waitUntil(probe, { what: `no line "${words}"`, deadlineMs: WITHIN_MS });
    return found!;
  }
}

/** A line in words: the step, `back` on the way back, and the event. */
export function wordsOf({ direction, event, step }: JournalLine): string {
  return `${step}${direction === 'rollback' ? ' back' : ''} ${event}`;
}

/** The mistakes in the keys and tokens of a task, whatever its case. */
export function keyFaults(lines: readonly JournalLine[]): readonly string[] {
  const keys = new Map<string, JournalLine>();
  const faults: string[] = [];
  for (const line of lines.filter(({ event }) => event === 'started')) {
    const before = keys.get(`${line.run} ${line.direction}`);
    const forward = keys.get(`${line.run} normal`);
    if (before !== undefined && before.idempotencyKey !== line.idempotencyKey) {
      faults.push(`${wordsOf(line)}: its key has changed`);
    }
    if (before !== undefined && before.fencingToken > line.fencingToken) {
      faults.push(`${wordsOf(line)}: its fencing token is lower`);
    }
    if (line.direction === 'rollback' && forward?.idempotencyKey !== line.forwardKey) {
      faults.push(`${wordsOf(line)}: its forward key is not that of the step`);
    }
    keys.set(`${line.run} ${line.direction}`, line);
  }
  return faults;
}
