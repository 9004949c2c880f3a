import * as fc from 'fast-check';

/** A request's parameters may be so large, in bytes. */
const MOST = 250_000;

const length = fc.oneof(
  fc.integer({ min: 401, max: 2_000 }),
  fc.constantFrom(20_000, 80_000, MOST),
);
const digits = fc.constantFrom('0', '9', '10', '05', '0000000001');

/** Numbers of JSON with more digits than anything can hold, as texts. */
export const longNumber: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.constantFrom<(digits: string) => string>(
      (digits) => `1${digits}1`,
      (digits) => `0.${digits}1`,
      (digits) => `1${digits}.${digits}1`,
      (digits) => `1e${digits}1`,
      (digits) => `1.${digits}E-${digits}1`,
    ),
    digits,
    length,
  )
  .map(([sign, write, unit, size]) => {
    const number = write(unit.repeat(Math.ceil(size / unit.length)).slice(0, size));
    return `${sign}${number}`.slice(0, MOST);
  });

/** Texts of lists and objects in each other, closed or not, far beyond what is kept. */
export const deepTree: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(['[', ']'], ['{"a":', '}'], ['[{"a":', '}]'], ['[[],', ']']),
    fc.oneof(fc.integer({ min: 65, max: 300 }), fc.constantFrom(5_000, 40_000)),
    fc.boolean(),
  )
  .map(([[open = '', close = ''], levels, isClosed]) => {
    const text = `${open.repeat(levels)}1${isClosed ? close.repeat(levels) : ''}`;
    return text.slice(0, MOST);
  });

/** The schema of a list whose entries are one of several things. */
export const CHOOSY_INPUT = {
  type: 'object',
  properties: {
    hosts: {
      type: 'array',
      maxItems: 50,
      items: { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'array', maxItems: 3 }] },
    },
  },
} as const;

/** Lists for {@link CHOOSY_INPUT} in which nothing fits, as texts. */
export const unfitList: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('null', 'true', '{}', '0.5', '[1,2,3,4]'),
    fc.constantFrom(1, 50, 51, 1_000, 20_000),
  )
  .map(([entry, count]) => `[${Array.from({ length: count }, () => entry).join(',')}]`);
