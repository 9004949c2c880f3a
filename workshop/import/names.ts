import type { Notes } from './notes.js';

const NAME_MAX = 100;
const RESERVED = new Set(['catch', 'otherwise']);

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
