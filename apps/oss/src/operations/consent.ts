import { fitsAny, isSamePerson, type Principal } from '#access';
import { forbidden, Problem } from '#http-server';
import type {
  ApprovalRule,
  OperationAction,
  OperationConsent,
  OperationOrder,
  OperationRecord,
} from '#ports';
import type { OperationChange } from './operation-change.js';

/** How long a person has to say yes, in milliseconds: a day. */
export const CONSENT_MS = 86_400_000;

/** The decision of a second person on an operation that waits. */
export interface Say {
  readonly principal: Principal;
  readonly isApproved: boolean;
  readonly comment: string | null;
}

/** The rule by which an action on a task of this flow needs two; undefined: it needs one. */
export function ruleFor(
  rules: readonly ApprovalRule[],
  action: string,
  flow: string,
): ApprovalRule | undefined {
  return rules.find((rule) => isAbout(rule, action) && fitsAny(rule.flows, flow));
}

/**
 * The rule by which an action on the tasks of these flows needs two. `flows`: those that the
 * operation can reach; null: tasks of any flow.
 */
export function ruleForMany(
  rules: readonly ApprovalRule[],
  { action, isDryRun }: Pick<OperationOrder, 'action' | 'isDryRun'>,
  flows: readonly string[] | null,
): ApprovalRule | undefined {
  if (isDryRun) return undefined;
  return rules.find((rule) => {
    const isReached = flows?.some((flow) => fitsAny(rule.flows, flow)) ?? true;
    return isAbout(rule, action) && isReached;
  });
}

/** To complete a step without its token is to skip one that waits: a rule about skips holds. */
function isAbout({ actions }: ApprovalRule, action: string): boolean {
  const wanted = action === 'complete' ? ['complete', 'skip'] : [action];
  return actions.some((known: OperationAction) => wanted.includes(known));
}

/** The consent that an operation waits for by this rule, for 24 hours at most. */
export function consentBy({ text }: ApprovalRule, now: number): OperationConsent {
  return { rule: text, expiresAt: now + CONSENT_MS, decision: null };
}

/**
 * The change of a waiting operation when a person approves or rejects it. Throws the `Problem` that
 * he may not: nobody approves what he asked for himself; to reject it is to take it back.
 */
export function decided(record: OperationRecord, say: Say, now: number): OperationChange {
  const { consent, requester, status } = record;
  if (consent === undefined || status !== 'waiting' || now >= consent.expiresAt) {
    const state = status === 'waiting' ? 'expired' : status;
    throw new Problem('NOT_WAITING', `The operation does not wait for approval: it is ${state}.`);
  }
  const { comment, isApproved, principal } = say;
  if (isApproved && isSamePerson(principal, requester)) {
    const isOne = principal.name === requester.name;
    const who = isOne
      ? 'asked for it'
      : 'may be the one who asked: one person may have both credentials';
    throw forbidden(principal, `${who}: somebody else must approve it`);
  }
  const { keyId, name: actor } = principal;
  const decision = { actor, keyId, isApproved, comment, at: now };
  const said = { consent: { ...consent, decision } };
  // From now on whoever looks for what is due carries it out.
  return isApproved
    ? { ...said, status: 'running', dueAt: now }
    : { ...said, ...over(now, 'rejected') };
}

/** The change by which an operation that expired, or was taken back, ends before it began. */
export function over(now: number, status: 'cancelled' | 'expired' | 'rejected'): OperationChange {
  return { status, endedAt: now, dueAt: null, progress: { page: [], cursor: null, isLast: true } };
}

/** Says in a journal who else wanted it; empty: nobody had to. */
export function approvalText({ consent }: Pick<OperationRecord, 'consent'>): string {
  const decision = consent?.decision;
  return decision?.isApproved === true ? `, approved by ${decision.actor}` : '';
}
