/**
 * A place among ids, as text: those of one time lie side by side, in the order of their numbers. A
 * store finds and writes ids that lie side by side at a fraction of the cost of scattered ones.
 */
export interface IdPlace {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Default: 0. Only its lowest 18 bits count. */
  readonly number?: number;
}

/** The only source of chance. */
export interface Entropy {
  /** A new globally unique id, increasing with time of creation as text. */
  newId(): string;
  /**
   * The id that belongs to a text at a place: the same for the same text and place, and in practice
   * for no other text. Default: any place.
   */
  idOf(text: string, place?: IdPlace): string;
  /** A number in [0, 1). */
  random(): number;
}
