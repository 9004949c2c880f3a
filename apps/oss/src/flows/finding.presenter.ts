import { findingType, type Problem, type ProblemCode, type Validation } from '#flow-files';

/** Something found in a flow, with the page that says more about its kind. */
type PublicFinding = Typed<Problem>;

/** As `type` of an error: the address of what its code means, within the gateway. */
type Typed<Found> = Found & { readonly type: string };

/** Something found in a flow, as answers have it. */
export function presentFinding<Found extends { readonly code: ProblemCode }>(
  finding: Found,
): Typed<Found> {
  return { type: findingType(finding.code), ...finding };
}

/** The findings of a check, as the answer has them. */
export interface PublicValidation {
  readonly valid: boolean;
  readonly problems: readonly PublicFinding[];
  readonly warnings: readonly PublicFinding[];
}

/** The same for everything that a check found. */
export function presentValidation({ problems, valid, warnings }: Validation): PublicValidation {
  return {
    valid,
    problems: problems.map(presentFinding<Problem>),
    warnings: warnings.map(presentFinding<Problem>),
  };
}
