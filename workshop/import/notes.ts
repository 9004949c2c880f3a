/** Every code of a note, and what it means. */
export const NOTE_CODES = {
  NO_ROLLBACK: 'The source defines no rollback for this command. Write one.',
  COMMAND_NEEDED: 'A task of the source becomes a command. Write an executor that serves it.',
  RENAMED: 'A name has characters that Backstep does not allow, so it is changed.',
  NOT_CARRIED: 'Backstep has no counterpart of a member, or has it in another place.',
  EXPRESSION_NOT_CARRIED:
    'An expression could not be translated. The step fails until you write it.',
  INPUT_MERGED:
    'The command gets the merged parameters, which can hold more than its input in the source.',
  RETRY_CHANGED: 'Delays or conditions of a retry differ.',
  TIMEOUT_CHANGED: 'A timeout differs.',
  ERROR_CODE: 'Error codes are written in capital letters. The executor must return this code.',
  LOOP_BOUND: 'A loop must have a bound.',
  STATE_COPIED: 'A state that several branches reach is copied into each branch.',
  DYNAMIC_TASKS: 'Tasks that the source computes at run time become a `dynamic` step.',
  JOIN_CHANGED: 'The step waits for all branches.',
  JUMP_BACK: 'A state leads back to an earlier state.',
  LATE_JOIN: 'Branches join at a state that nested steps cannot express.',
  NOT_THE_FORMAT: 'The text is not a definition of this format.',
  TOO_LARGE: 'The flow would have more steps than allowed.',
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
    super(notes.at(-1)?.message ?? 'the definition cannot be imported');
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

  /** The same note is kept once, however often a state is copied. */
  add(pointer: string, code: NoteCode, message: string): void {
    const key = `${code} ${pointer} ${message}`;
    if (this.#known.has(key) || this.#list.length >= NOTES_MAX) return;
    this.#known.add(key);
    this.#list.push({ pointer, code, message });
  }

  /** Refuses the import. */
  refuse(pointer: string, code: NoteCode, message: string): never {
    throw new NotImportable([...this.#list, { pointer, code, message }]);
  }
}
