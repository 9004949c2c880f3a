import type { Json } from './shapes.js';

/** The writer of a value: a step with the id of its run, a person by name. */
export type Writer =
  | { readonly kind: 'constant' | 'request' }
  | { readonly kind: 'step'; readonly step: string; readonly id: string }
  | { readonly kind: 'person'; readonly actor: string };

/** A value that a parameter had. */
export interface WrittenValue {
  readonly value: Json;
  readonly writer: Writer;
  /** Seconds since 1970; null: it is not known. */
  readonly at: number | null;
}

/** Each parameter's values, the oldest first; the last one holds now. */
export type Provenance = Readonly<Record<string, readonly WrittenValue[]>>;
