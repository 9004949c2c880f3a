/** The only source of chance. */
export interface Entropy {
  /** A new globally unique id, increasing with time of creation as text. */
  newId(): string;
  /** A number in [0, 1). */
  random(): number;
}
