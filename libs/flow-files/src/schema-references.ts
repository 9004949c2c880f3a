import { clip } from './json-document.js';
import type { Finding } from './problem.js';

/** Most schemas that checking one value may lead through by references. */
const REACHED_MAX = 1_000;

/**
 * The references of one schema, from `$defs` to `$defs`. Two that lead to two that lead to two ...
 * make a short text whose check never ends, so what they lead to is counted before it is run.
 */
export class SchemaReferences {
  readonly #found: { readonly pointer: string; readonly to: string }[] = [];
  readonly #targets = new Map<string, string[]>();

  /** Notes a `$ref` and the place it stands at. */
  add(to: string, pointer: string): void {
    this.#found.push({ pointer, to });
    const [, first, name = ''] = pointer.split('/');
    const from = first === '$defs' ? `#/$defs/${name}` : '#';
    this.#targets.set(from, [...(this.#targets.get(from) ?? []), to]);
  }

  /** What is wrong with them; `definitions` are the names under `$defs`. */
  findFaults(definitions: readonly string[]): readonly Finding[] {
    const known = new Set(['#', ...definitions.map((name) => `#/$defs/${name}`)]);
    const faults = this.#found.filter(({ to }) => !known.has(to)).map(unknownTarget);
    if (faults.length > 0) return faults;
    return this.#countReached('#', new Map()) > REACHED_MAX ? [TOO_MANY] : [];
  }

  /** A definition that leads back to itself counts once: data has an end even if schemas do not. */
  #countReached(from: string, counts: Map<string, number>): number {
    const known = counts.get(from);
    if (known !== undefined) return known;
    counts.set(from, 1);
    let count = 1;
    for (const to of this.#targets.get(from) ?? []) count += this.#countReached(to, counts);
    counts.set(from, count);
    return count;
  }
}

function unknownTarget({ pointer, to }: { pointer: string; to: string }): Finding {
  const message = `The schema refers to \`${clip(to)}\`, which is not there.`;
  const hint = 'Define it under `$defs` of `input` and refer to it as "#/$defs/<name>".';
  return { pointer, code: 'WRONG_INPUT_SCHEMA', message, hint };
}

const TOO_MANY: Finding = {
  pointer: '',
  code: 'WRONG_INPUT_SCHEMA',
  message: `The references of the schema lead through more than ${REACHED_MAX} schemas.`,
  hint: 'Refer to each definition less often.',
};
