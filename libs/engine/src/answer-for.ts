import type { Answer, JsonValue, Question, Scene } from '#core';
import { isSealed, mapTexts, MASK, maskSealed, sealedIn } from '#core/secrets';
import type { AbortSignalLike, Entropy, Evaluator } from '#ports';

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

/** Digits of the number of a stand-in, so that all have the same length. */
const DIGITS = 6;

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

/**
 * Texts that expressions see in the place of sealed values. All have one length, and each question
 * has its own, which nothing outside can know: what stands for a secret afterwards was handed on,
 * and was not put together from parts.
 */
class SecretStandIns {
  readonly #mark: string;
  readonly #standInOf = new Map<string, string>();
  readonly #sealedOf = new Map<string, string>();

  /** `chance`: a text that was never used before and cannot be guessed. */
  constructor(chance: string) {
    this.#mark = `secret-${chance}-`;
  }

  /** A value with stand-ins for the sealed values in it. */
  hide<T extends JsonValue>(value: T): T {
    return mapTexts(value, (text) => (isSealed(text) ? this.#standIn(text) : text)) as T;
  }

  /** The value with what its stand-ins stand for; undefined: something was made of a secret. */
  restore(value: JsonValue): JsonValue | undefined {
    let isSound = true;
    const restored = mapTexts(value, (text) => {
      const sealed = this.#sealedOf.get(text);
      if (sealed !== undefined) return sealed;
      if (text.includes(this.#mark) || sealedIn(text).length > 0) isSound = false;
      return text;
    });
    return isSound ? restored : undefined;
  }

  /** A text for people. */
  masked(text: string): string {
    const [first = '', ...others] = text.split(this.#mark);
    return [first, ...others.map((rest) => MASK + rest.slice(DIGITS))].join('');
  }

  #standIn(sealed: string): string {
    const known = this.#standInOf.get(sealed);
    if (known !== undefined) return known;
    const standIn = `${this.#mark}${String(this.#standInOf.size).padStart(DIGITS, '0')}`;
    this.#standInOf.set(sealed, standIn);
    this.#sealedOf.set(standIn, sealed);
    return standIn;
  }
}
