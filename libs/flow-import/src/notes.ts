/** Every code of a note, and what it means. */
export const NOTE_CODES = {
  NO_ROLLBACK: 'The source has no way back: write the command that undoes this one.',
  COMMAND_NEEDED: 'The work of the source becomes a command that an executor must serve.',
  RENAMED: 'A name has characters that names cannot have here.',
  NOT_CARRIED: 'A member has no counterpart, or only in another place.',
  EXPRESSION_NOT_CARRIED: 'An expression could not be translated; it fails until it is written.',
  INPUT_MERGED: 'The command gets the merged parameters, which may be more than its input was.',
  RETRY_CHANGED: 'Waits or conditions of a retry differ.',
  TIMEOUT_CHANGED: 'A limit of time differs.',
  ERROR_CODE: 'Errors have codes in capital letters here: the executor must give this one.',
  LOOP_BOUND: 'A loop needs a bound here.',
  STATE_COPIED: 'A state that several ways lead to stands in each of them.',
  DYNAMIC_TASKS: 'Tasks that are data become steps that are data.',
  JOIN_CHANGED: 'All branches are waited for.',
  JUMP_BACK: 'A state leads back to one before it.',
  LATE_JOIN: 'Ways meet in a place that no nested steps can say.',
  NOT_THE_FORMAT: 'The text is no definition of this kind.',
  TOO_LARGE: 'More steps would come of it than a flow may have.',
} as const;

/** One of them. */
type NoteCode = keyof typeof NOTE_CODES;

/** A part that was not carried over as it stood, or that a person must add. */
export interface Note {
  /** Where in the source (RFC 6901). */
  readonly pointer: string;
  readonly code: NoteCode;
  /** For people: a sentence. */
  readonly message: string;
}

/** No flow can be made of a source. The last note says why. */
export class NotImportable extends Error {
  override readonly name = 'NotImportable';

  constructor(readonly notes: readonly Note[]) {
    super(notes.at(-1)?.message ?? 'nothing can be made of it');
  }
}

/** Most notes that are kept. */
const NOTES_MAX = 1_000;

/** The notes of one import. */
export class Notes {
  readonly #list: Note[] = [];
  readonly #known = new Set<string>();

  get list(): readonly Note[] {
    return this.#list;
  }

  /** The same is told once, however often a state is copied. */
  add(pointer: string, code: NoteCode, message: string): void {
    const key = `${code} ${pointer} ${message}`;
    if (this.#known.has(key) || this.#list.length >= NOTES_MAX) return;
    this.#known.add(key);
    this.#list.push({ pointer, code, message });
  }

  /** Gives the import up. */
  refuse(pointer: string, code: NoteCode, message: string): never {
    throw new NotImportable([...this.#list, { pointer, code, message }]);
  }
}
