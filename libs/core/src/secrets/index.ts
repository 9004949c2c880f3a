export { misplacedSecrets } from './misplaced-secrets.js';
export {
  isSealed,
  mapMembers,
  mapTexts,
  MASK,
  maskSealed,
  maskValues,
  SEAL_MARK,
  sealedIn,
  sealOwner,
} from './sealed-value.js';
export { changeSecrets, hasSecretInput } from './secret-members.js';
export {
  claimsReference,
  isReference,
  mapReferences,
  REFERENCE_FORM,
  REFERENCE_MEMBER,
  referenceParts,
  referencesIn,
  referencesKnownTo,
  referencesOf,
} from './secret-reference.js';
