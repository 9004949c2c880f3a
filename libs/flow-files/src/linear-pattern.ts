import { RE2JS } from 're2js';

/** Most instructions of one compiled pattern: `^[a-z]{1,63}$` has about 130. */
const PROGRAM_MAX = 1_000;

/** Longest pattern that is compiled. */
const SOURCE_MAX = 2_000;

/** Sizes that are remembered. */
const SIZES_MAX = 1_000;

const sizes = new Map<string, number>();

/** How ajv compiles patterns; its second parameter is the flags, which are always `u`. */
export const linearPatterns = Object.assign(
  (source: string, _flags: string) => RE2JS.compile(RE2JS.translateRegExp(source)),
  // The name in code that ajv would write to a file.
  { code: 'linearPatterns' },
);

/**
 * Whether JavaScript (flag `u`) and RE2 both can read a pattern, and it is not too large. RE2 has
 * no look-ahead and no back reference, so that every text is matched in linear time. It alone also
 * has syntax that editors and clients could not read.
 */
export function isLinearPattern(source: string): boolean {
  try {
    void new RegExp(source, 'u');
    return source.length <= SOURCE_MAX && patternSize(source) <= PROGRAM_MAX;
  } catch {
    return false;
  }
}

/** Instructions of a compiled pattern. Throws where RE2 cannot read it. */
export function patternSize(source: string): number {
  const known = sizes.get(source);
  if (known !== undefined) return known;
  const size = linearPatterns(source, 'u').programSize();
  if (sizes.size === SIZES_MAX) sizes.clear();
  sizes.set(source, size);
  return size;
}
