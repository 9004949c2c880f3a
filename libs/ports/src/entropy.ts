/** The only source of chance. */
export interface Entropy {
  /** A new globally unique id, increasing with time of creation as text. */
  newId(): string;
  /** The id that belongs to a text: the same for the same text, and in practice for no other. */
  idOf(text: string): string;
  /** A number in [0, 1). */
  random(): number;
}
