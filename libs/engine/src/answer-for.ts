import {
  type Answer,
  isSealed,
  type JsonValue,
  mapTexts,
  maskSealed,
  type Question,
  SEAL_MARK,
  sealedIn,
} from '#core';
import type { AbortSignalLike, Evaluator } from '#ports';

/** Where answers come from, and whether the question may have sealed values in it. */
interface AnswerTerms {
  readonly evaluator: Evaluator;
  readonly hasSecrets: boolean;
  /** The answer is for people, whatever its value: names of locks, labels. Default: no. */
  readonly isShown?: boolean;
  /** Aborted when nobody wants the answer any more; absent: a task waits for it. */
  readonly draft?: AbortSignalLike;
}

/** Kinds of answers that are no values of commands. */
const SHOWN: ReadonlySet<string> = new Set(['duration', 'moment', 'text']);

/**
 * The answer to a question. Expressions see secrets sealed: they can hand one on as it is, to
 * commands alone. An expression that makes anything else of one is at fault. Rejects as the
 * evaluator does.
 */
export async function answerFor(
  { draft, evaluator, hasSecrets, isShown = false }: AnswerTerms,
  question: Question,
): Promise<Answer> {
  const answer = await evaluator.answer(question, draft);
  if (!hasSecrets) return answer;
  if ('fault' in answer)
    return { fault: { ...answer.fault, reason: maskSealed(answer.fault.reason) } };
  const given = new Set(sealedIn(JSON.stringify(question.scene)));
  for (const { as, name } of question.members) {
    const value = answer.values[name] ?? null;
    const isPublic = isShown || SHOWN.has(as);
    if (isSound(value, isPublic ? NOTHING : given)) continue;
    const reason = isPublic ? FOR_COMMANDS : HANDED_ON;
    return { fault: { member: name, position: null, reason } };
  }
  return answer;
}

const NOTHING: ReadonlySet<string> = new Set();

const HANDED_ON = 'an expression may pass a secret on, but not compute with it';
const FOR_COMMANDS = 'only a command may read a secret, and people can read this value';

/** Whether every sealed value in it is a whole one of these. */
function isSound(value: JsonValue, given: ReadonlySet<string>): boolean {
  let isSound = true;
  mapTexts(value, (text) => {
    if (text.includes(SEAL_MARK) && !(isSealed(text) && given.has(text))) isSound = false;
    return text;
  });
  return isSound;
}
