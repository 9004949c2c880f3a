import { type JsonObject, maskValues, mergeParameters, type Question } from '#core';
import { answerFor } from '#engine';
import type { OssOptions } from '../options.js';
import type { FamilyUndo } from './family-plan.js';

/** Questions that one plan has answered. */
const QUESTIONS_MAX = 200;

/** For so long answers are asked for in one plan, in milliseconds. */
const TIME_MAX = 2_000;

/** The parameters with which an undo would be called. */
interface KnownParameters {
  readonly parameters: JsonObject;
  /** Why expressions stand there as they were written; null: none does. */
  readonly unresolved: string | null;
}

/**
 * Works out what the expressions in the parameters of undos come to, for one plan: so many of them,
 * and for so long. Secrets are masked.
 */
export class UndoParameters {
  private readonly until: number;
  private questionsLeft = QUESTIONS_MAX;

  constructor(private readonly sources: Pick<OssOptions, 'clock' | 'entropy' | 'evaluator'>) {
    this.until = sources.clock.now() + TIME_MAX;
  }

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
    const { clock, entropy, evaluator } = this.sources;
    if (this.questionsLeft === 0) return { why: `the plan has more than ${QUESTIONS_MAX} of them` };
    if (clock.now() > this.until) return { why: 'the plan takes too long to work them all out' };
    this.questionsLeft -= 1;
    try {
      const answer = await answerFor({ entropy, evaluator, hasSecrets }, question);
      if ('fault' in answer) return { why: `${answer.fault.member}: ${answer.fault.reason}` };
      return { values: answer.values['parameters'] as JsonObject };
    } catch {
      return { why: 'no answer can be had now' };
    }
  }
}

type Found = { readonly values: JsonObject } | { readonly why: string };

const NONE_ASKED: Found = { values: {} };
