/**
 * The record that a write goes in the place of: that of a tag, or the one whose text has these
 * bytes, in hexadecimal; true: whatever is there; null: there is none.
 */
export type PreviousRow = string | readonly [bytes: string] | true | null;

/** Where a record is in the lists of up to four indexes; null: it is in none. */
export type Places = readonly (string | number | null)[];

/** A record that is to be stored: `tag` tells its writes apart, `text` is all of it. */
export interface RecordCells {
  readonly kind: string;
  readonly id: string;
  readonly previous: PreviousRow;
  readonly tag: string;
  readonly places: Places;
  readonly text: string;
}

/** A record as stored. */
export type StoredRecord = readonly [id: string, tag: unknown, text: unknown, ...places: unknown[]];

/** Which records are meant. Texts are as columns have them. */
export interface RecordsAsked {
  readonly kind: string;
  /** 1 to 4; 0: all, by their ids. */
  readonly index: number;
  /** The text that they have in the column of the index; of a list: one of these. */
  readonly of: string | readonly string[];
  readonly from: number | undefined;
  readonly upTo: number | undefined;
  readonly after: { readonly at: number; readonly id: string } | undefined;
  readonly isDescending: boolean;
  readonly limit: number;
  readonly skip: number;
}
