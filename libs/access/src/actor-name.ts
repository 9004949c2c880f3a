/** The pattern of such a name. */
export const ACTOR_NAME_PATTERN = '^[A-Za-z0-9][A-Za-z0-9_.@-]{0,99}$';

const NAME = new RegExp(ACTOR_NAME_PATTERN);
/** Actors of journals that no person is, and names of processes. */
const TAKEN = /^(?:api|backstep|flow|system)$|-[0-9a-f]{8}$/;

/** Whether a text can stand for a person in journals: 1 to 100 letters, digits and `._@-`. */
export function isActorName(text: string): boolean {
  return NAME.test(text);
}

/**
 * Letters that a journal shows as they are. Spaces and brackets stand in names of people who have
 * shown a token, and nobody else is to be taken for one of them.
 */
const SHOWN = /^[\x21-\x27\x2a-\x7e]{1,200}$/;

/** Whether a name that another person has given can stand for them in journals. */
export function isShownName(name: string): boolean {
  return SHOWN.test(name);
}

/** Whether a name may be taken for a part of Backstep. */
export function isTakenName(name: string): boolean {
  return TAKEN.test(name);
}
