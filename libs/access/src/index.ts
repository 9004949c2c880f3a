export { type AuditFault, chained, ChainCheck, hashOfEntry } from './audit-chain.js';
export { AuditTrail, type AuditTrailOptions } from './audit-trail.js';
export type { ApiKey } from './api-key.js';
export { Callers, type CallersOptions } from './callers.js';
export { SealedTokens } from './completion-tokens.js';
export { IdentityTokens, type IdentityTokensOptions, NoRoleGiven } from './identity-tokens.js';
export { IssuerUnavailable } from './issuer-keys.js';
export { type KeyOrder, type MadeKey, makeKey, WrongKeyOrder } from './key-order.js';
export { KeyRing, type KeyRingOptions } from './key-ring.js';
export { type Need, needOf, OPERATION_NEEDS } from './operations.js';
export { fitsAny, fitsPattern, NAME_PATTERN } from './pattern.js';
export {
  EVERYBODY,
  isLimited,
  isSamePerson,
  personOf,
  type Limits,
  type Principal,
  seesFlow,
  seesModule,
  type SeenTask,
  seesTask,
  usesModule,
} from './principal.js';
export { hasRightsOf, ROLES } from './roles.js';
export { SealedSecrets } from './sealed-secrets.js';
export { CannotUnseal, TextSeal } from './sealed-text.js';
