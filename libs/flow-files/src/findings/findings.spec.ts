import { describe, expect, it } from '@jest/globals';
import { validateFlowText } from '../parse-flow-file.js';
import { PROBLEM_CODES } from '../problem.js';
import { FINDING_HELP } from './index.js';

const EXAMPLES = Object.entries(FINDING_HELP).flatMap(([code, { example }]) =>
  example === null ? [] : [{ code, ...example }],
);

describe('the help with findings', () => {
  it('is there for each code, with an example or the line that reports it', () => {
    expect(Object.keys(FINDING_HELP).sort()).toEqual(Object.keys(PROBLEM_CODES).sort());
    const shown = Object.values(FINDING_HELP).map(({ example, report }) => [example, report]);
    expect(shown.filter(([example, report]) => (example === null) === (report === null))).toEqual(
      [],
    );
  });

  it.each(EXAMPLES)('shows a file that has $code and nothing else', ({ code, known, wrong }) => {
    const { problems, warnings } = validateFlowText(wrong, known);
    const codes = [...problems, ...warnings].map((found) => found.code);
    expect(new Set(codes)).toEqual(new Set([code]));
  });

  it.each(EXAMPLES)('mends $code without leaving anything', ({ known, mended }) => {
    expect(validateFlowText(mended, known)).toEqual({ valid: true, problems: [], warnings: [] });
  });
});
