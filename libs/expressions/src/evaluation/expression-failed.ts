/** Thrown where an expression gives no result; the message says why, for the author of the flow. */
export class ExpressionFailed extends Error {
  override readonly name = 'ExpressionFailed';

  /** `position`: where in the text with its marks, from 0 on; null: not of one place. */
  constructor(
    readonly position: number | null,
    reason: string,
  ) {
    super(reason);
  }
}
