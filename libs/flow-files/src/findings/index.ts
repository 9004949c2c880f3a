import type { ProblemCode } from '../problem.js';
import type { FindingHelp } from './example.js';
import { OF_EXPRESSIONS } from './of-expressions.js';
import { OF_FILES, OF_SHAPE } from './of-files.js';
import { OF_OTHERS } from './of-others.js';
import { OF_THE_WAY } from './of-the-way.js';

/** Help with everything that can be found in flow files. */
export const FINDING_HELP: Readonly<Record<ProblemCode, FindingHelp>> = {
  ...OF_FILES,
  ...OF_SHAPE,
  ...OF_EXPRESSIONS,
  ...OF_OTHERS,
  ...OF_THE_WAY,
};

/** The path at a gateway that says more about a finding, as `type` of an error does. */
export function findingType(code: ProblemCode): string {
  return `/docs/findings#${code}`;
}
