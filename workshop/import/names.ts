const NAME_MAX = 100;
const RESERVED = new Set(['catch', 'otherwise']);

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

/** Most notes that are kept. */
const NOTES_MAX = 1_000;

/** A text as a name of the flow language: letters, digits, `-`, `_` and `.`. */
export function nameOf(text: string, fallback: string): string {
  const cleaned = text
    .slice(0, 1_000)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, NAME_MAX);
  return cleaned === '' || RESERVED.has(cleaned) ? fallback : cleaned;
}

/** An error of the source as a code: `Lambda.ServiceException` is `LAMBDA_SERVICE_EXCEPTION`. */
export function codeOf(text: string): string {
  const code = text
    .slice(0, 1_000)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^[^A-Za-z]+|_+$/g, '')
    .toUpperCase()
    .slice(0, 64);
  return code === '' ? 'FAILED' : code;
}

/** Names of the steps of one flow: each is there once, so that a way to it is never mistaken. */
export class StepNames {
  readonly #taken = new Set<string>();

  constructor(private readonly notes: Notes) {}

  /** A name like the one in the source, and a note where it is another one. */
  take(text: string, pointer: string): string {
    const name = this.#free(nameOf(text, 'step'));
    if (name !== text) {
      this.notes.add(pointer, 'RENAMED', `The step is called \`${name}\` in the flow.`);
    }
    return name;
  }

  /** A name for a step that the source does not have. */
  make(text: string): string {
    return this.#free(nameOf(text, 'step'));
  }

  #free(wanted: string): string {
    let name = wanted;
    for (let count = 2; this.#taken.has(name); count += 1) {
      const end = `-${count}`;
      name = `${wanted.slice(0, NAME_MAX - end.length)}${end}`;
    }
    this.#taken.add(name);
    return name;
  }
}

/** No flow can be made of a source. The last note says why. */
export class NotImportable extends Error {
  override readonly name = 'NotImportable';

  constructor(readonly notes: readonly Note[]) {
    super(notes.at(-1)?.message ?? 'the definition cannot be imported');
  }
}

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
