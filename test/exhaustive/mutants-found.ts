/**
 * How few faults find each bug in some case of the model; null: no single fault and no pair of the
 * gate does, and it takes the random histories. A bug that is not here has not been judged yet.
 */
export const FAULTS_NEEDED: Readonly<Record<string, 0 | 1 | 2 | null>> = {
  'no-claim': 0,
  'stale-overwrite': 0,
  'check-then-write': 0,
  'key-ignored': 1,
  'writes-lost': null,
  'no-answer-is-yes': 1,
  'acknowledged-unstored': 1,
  'persons-overruled': 1,
  'publish-before-commit': 0,
  'no-token-check': 1,
  'token-not-bumped': 0,
  'wake-forgotten': 0,
  'budget-ignored': 2,
  'all-undone-at-once': 0,
  'back-without-undoing': 0,
  'redispatch-storm': 2,
  'no-governance': 1,
  'early-ack-no-governance': 1,
  'lease-never-expires': 1,
  'no-barrier': 1,
  'idempotency-only': 1,
  'fence-only': 1,
  'skip-unknown': 0,
};
