import { AUDIT_WORDS } from '../words/audit.js';

const OPERATION = /^([A-Z]+) \/v1\/([a-z]+)[^:]*(?::([a-z]+))?$/;

type Words = Readonly<Record<string, string>>;

/** An operation as people say it: *Skip a step of task*. Null: there are no words for it. */
export function operationWords(operation: string): string | null {
  // The places of names in an address are no part of what was done.
  const [, method = '', kind = '', verb] =
    OPERATION.exec(operation.replaceAll(/\{[^}]*\}/g, '')) ?? [];
  const { methods, nouns, verbs } = AUDIT_WORDS;
  const noun = (nouns as Words)[kind];
  const deed = verb === undefined ? (methods as Words)[method] : (verbs as Words)[verb];
  return noun === undefined || deed === undefined ? null : `${deed} ${noun}`;
}
