import type { JsonObject, Question } from '#core';
import { maskValues } from '#core/secrets';
import { mergeParameters } from '#core/values';
import { answerFor } from '#engine';
import type { OssOptions } from '../options.js';
import type { FamilyUndo } from './family-plan.js';

/** Questions that one plan has answered. */
const QUESTIONS_MAX = 200;

/** Where answers come from, for as long as somebody waits for them. */
interface UndoSources extends Pick<OssOptions, 'entropy' | 'evaluator'> {
  /** Aborted when the client has gone, or the time of the plan is over. */
  readonly draft: AbortSignal;
}

/** The parameters with which an undo would be called. */
interface KnownParameters {
  readonly parameters: JsonObject;
  /** Why expressions stand there as they were written; null: none does. */
  readonly unresolved: string | null;
}

/**
 * Works out what the expressions in the parameters of undos come to, for one plan: so many of them,
 * and for as long as the plan may take. Secrets are masked.
 */
export class UndoParameters {
  private questionsLeft = QUESTIONS_MAX;

  constructor(private readonly sources: UndoSources) {}

  /** The parameters of an undo as far as they have values. */
  async of({ task, undo }: FamilyUndo): Promise<KnownParameters> {
    const { parameters, question } = undo;
    const { hasSecrets } = task;
    const found = question === null ? NONE_ASKED : await this.ask(question, hasSecrets);
    const known = 'values' in found ? mergeParameters([parameters, found.values]) : parameters;
    return {
      parameters: hasSecrets ? maskValues(known) : known,
      unresolved: 'why' in found ? found.why : null,
    };
  }

  private async ask(question: Question, hasSecrets: boolean): Promise<Found> {
    const { draft, entropy, evaluator } = this.sources;
    if (this.questionsLeft === 0) return { why: `the plan has more than ${QUESTIONS_MAX} of them` };
    if (draft.aborted) return { why: 'the plan takes too long to work them all out' };
    this.questionsLeft -= 1;
    try {
      const answer = await answerFor({ draft, entropy, evaluator, hasSecrets }, question);
      if ('fault' in answer) return { why: `${answer.fault.member}: ${answer.fault.reason}` };
      return { values: answer.values['parameters'] as JsonObject };
    } catch {
      return { why: 'no answer can be had now' };
    }
  }
}

type Found = { readonly values: JsonObject } | { readonly why: string };

const NONE_ASKED: Found = { values: {} };
