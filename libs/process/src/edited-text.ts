import type { Observer } from '#ports';

/** A file whose edits count while the process runs, and how they are told of. */
interface EditedFile<Content> {
  /** The file's text as it is now. Throws where it cannot be read; the message is for people. */
  readonly read: () => string;
  /** Throws where the text is none of such a file; the message is for people. */
  readonly parse: (text: string) => Content;
  /** Begins the names of its notices: `access` for `access_reloaded` and `access_not_reloaded`. */
  readonly name: string;
  /** Begins the sentence about a bad edit: `The bindings stay as they were`. */
  readonly kept: string;
}

/**
 * The text of a file that people may edit. A good edit counts from the next look on. With a bad
 * one everything stays as it was, and it is told of once.
 */
export class EditedText<Content> {
  /** The content as it was when the process began. */
  readonly first: Content;
  #text: string;
  #problem: string | null = null;

  /** Reads the file. Throws what its `read` and `parse` throw. */
  constructor(
    private readonly file: EditedFile<Content>,
    private readonly observer: Pick<Observer, 'noticed'>,
  ) {
    this.#text = file.read();
    this.first = file.parse(this.#text);
  }

  /** Why the file cannot be used as it is now; null: it can. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Reads the file again. `use`: takes what it holds now, and says so in a sentence. */
  look(use: (content: Content) => string): void {
    const { kept, name, parse, read } = this.file;
    try {
      const text = read();
      if (text === this.#text && this.#problem === null) return;
      const message = use(parse(text));
      this.#text = text;
      this.#problem = null;
      this.observer.noticed({ level: 'info', name: `${name}_reloaded`, message });
    } catch (error) {
      const { message: problem } = error as Error;
      if (problem === this.#problem) return;
      this.#problem = problem;
      const message = `${kept}: ${problem}`;
      this.observer.noticed({ level: 'warn', name: `${name}_not_reloaded`, message });
    }
  }
}
