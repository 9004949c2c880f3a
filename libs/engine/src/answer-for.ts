import type { Answer, JsonValue, Question, Scene } from '#core';
import { maskSealed } from '#core/secrets';
import type { AbortSignalLike, Entropy, Evaluator } from '#ports';
import { SecretStandIns } from './secret-stand-ins.js';

/** Where answers come from, and whether the question may have sealed values in it. */
interface AnswerTerms {
  readonly evaluator: Evaluator;
  readonly entropy: Pick<Entropy, 'newId'>;
  readonly hasSecrets: boolean;
  /** The answer is for people, whatever its value: names of locks, labels. Default: no. */
  readonly isShown?: boolean;
  /** Aborted when nobody wants the answer any more; absent: a task waits for it. */
  readonly draft?: AbortSignalLike;
}

/** Kinds of answers that are no values of commands. */
const SHOWN: ReadonlySet<string> = new Set(['duration', 'moment', 'text']);

/**
 * The answer to a question. Expressions see stand-ins for secrets: they can hand one on as it is,
 * to commands alone. An expression that makes anything else of one is at fault. Rejects as the
 * evaluator does.
 */
export async function answerFor(
  { draft, entropy, evaluator, hasSecrets, isShown = false }: AnswerTerms,
  question: Question,
): Promise<Answer> {
  if (!hasSecrets) return evaluator.answer(question, draft);
  const standIns = new SecretStandIns(entropy.newId());
  const scene = standIns.hide(question.scene as unknown as JsonValue) as unknown as Scene;
  const answer = await evaluator.answer({ ...question, scene }, draft);
  if ('fault' in answer) {
    const reason = maskSealed(standIns.masked(answer.fault.reason));
    return { fault: { ...answer.fault, reason } };
  }
  const values: Record<string, JsonValue> = { ...answer.values };
  for (const { as, name } of question.members) {
    const value = values[name] ?? null;
    const restored = standIns.restore(value);
    const isPublic = isShown || SHOWN.has(as);
    if (restored === undefined || (isPublic && restored !== value)) {
      const reason = isPublic ? FOR_COMMANDS : HANDED_ON;
      return { fault: { member: name, position: null, reason } };
    }
    if (restored !== value) values[name] = restored;
  }
  return { values };
}

const HANDED_ON = 'an expression may pass a secret on, but not compute with it';
const FOR_COMMANDS = 'only a command may read a secret, and people can read this value';
