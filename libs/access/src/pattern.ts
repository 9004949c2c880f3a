export { fitsAny, fitsPattern } from '#core/flow';

/** The form of a pattern: a name in which each `*` stands for any text. */
export const NAME_PATTERN = '^[A-Za-z0-9._*-]{1,100}$';
