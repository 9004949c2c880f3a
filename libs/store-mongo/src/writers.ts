/** Which write made a revision. */
interface Writer {
  readonly revision: number;
  /** Unique to one commit, the same for all its attempts. */
  readonly mark: string;
}

/** Stored form of a writer: the revision, and the mark behind a blank. */
export function writerToText({ mark, revision }: Writer): string {
  return `${revision} ${mark}`;
}

/** The writer behind its stored form. */
function textToWriter(text: string): Writer {
  const end = text.indexOf(' ');
  return { revision: Number(text.slice(0, end)), mark: text.slice(end + 1) };
}

/** Revisions whose writers a document remembers. */
export const WRITERS_KEPT = 8;

/** The part of a stored document that shows its writes. */
export interface Trace {
  readonly revision: number;
  /** Each as `writerToText` has it. */
  readonly writers: readonly string[];
}

/** The write that is asked about. */
interface Attempted {
  /** Revision that the document must have had. */
  readonly from: number;
  readonly mark: string;
}

/**
 * `applied`: ours is there, perhaps with others on top. `lost`: another one took the revision.
 * `absent`: not applied, so far. `unknown`: too many others on top to tell.
 */
export type Fate = 'applied' | 'lost' | 'absent' | 'unknown';

/** The outcome of a write, judged by the stored document alone. */
export function fateOf(attempted: Attempted, stored: Trace | undefined): Fate {
  if (stored === undefined) return 'lost';
  const writers = stored.writers.map(textToWriter);
  if (writers.some(({ mark }) => mark === attempted.mark)) return 'applied';
  if (stored.revision <= attempted.from) return 'absent';
  const taken = writers.some(({ revision }) => revision === attempted.from + 1);
  return taken ? 'lost' : 'unknown';
}
