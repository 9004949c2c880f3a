export { ACTOR_NAME_PATTERN } from './actor-name.js';
export {
  chained,
  ChainCheck,
  type ChainStart,
  type EntryRange,
  hashOfEntry,
} from './audit-chain.js';
export { AuditHeads, type HeadShelf } from './audit-head.js';
export { isRemovedTooEarly } from './audit-removal.js';
export { AuditRetention } from './audit-retention.js';
export { isAnchorSigned, isHeadSigned, signAnchor } from './audit-signature.js';
export { type SignedHead, signedHeadIn, signHead } from './audit-signature.js';
export { AuditTrail } from './audit-trail.js';
export { accessFileSchema, bindingsIn, type WrittenAccess } from './access-schema.js';
export { AccessRules, type Binding, bindingsOfClaims, bindingsOfNames } from './bindings.js';
export { Callers } from './callers.js';
export {
  CertificateRefused,
  ClientCertificates,
  type ShownCertificate,
} from './client-certificates.js';
export { SealedTokens, SignedTexts } from './signed-texts.js';
export { ConsoleSessions } from './console-sessions.js';
export { EndedSessions } from './ended-sessions.js';
export {
  connectionEnd,
  LINK_MS,
  LOCAL_SESSION_PREFIX,
  LocalToken,
  type SignedParts,
} from './local-token.js';
export { findToken, openTokenFile, UnfitTokenFile } from './token-file.js';
export { NoRoleGiven } from './identity.js';
export { IdentityTokens } from './identity-tokens.js';
export { IssuerUnavailable } from './issuer.js';
export { type KeyOrder, LIST_MAX, type MadeKey, makeKey, WrongKeyOrder } from './key-order.js';
export { KeyRing } from './key-ring.js';
export { type ChangedRecord, whyNotChange } from './may-change.js';
export { fitsAny, fitsPattern, NAME_PATTERN } from './pattern.js';
export {
  EVERYBODY,
  fitsLabels,
  hasRightsOf,
  isLimited,
  isSamePerson,
  type Limits,
  type Need,
  needOf,
  personOf,
  plainLabels,
  type Principal,
  seesEverything,
  seesFlow,
  seesModule,
  seesTask,
  usesModule,
} from './principal.js';
export { SealedSecrets, TextSeal } from './sealed-text.js';
export {
  ProxyRefused,
  ProxySecrets,
  proxySecretsIn,
  type SaidByProxy,
  TrustedProxy,
  UnfitActor,
  UnfitGroups,
} from './trusted-proxy.js';
export { KeptCredentials } from './kept-credentials.js';
export { type RefusedSignIn, RefusedSignIns } from './refused-sign-ins.js';
export { TokenRefused } from './token-refused.js';
export {
  type FormAnswer,
  type SentForm,
  SignIn,
  SignInFailed,
  TICKET_MS,
  TooManySignIns,
} from './sign-in.js';
