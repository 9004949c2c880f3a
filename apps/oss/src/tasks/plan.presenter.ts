import type { JsonObject, Question, Task } from '#core';
import { mergeParameters } from '#core/json';
import { runIdOf, stepAt } from '#core/scopes';
import { maskValues } from '#core/secrets';
import { answerFor, type SeenExecutor } from '#engine';
import { mayHave } from '#ports';
import type { CommonParts, ExecutorParts, OssOptions } from '../options.js';
import type { FamilyStep, FamilyUndo } from './family-plan.js';
import type { Shown } from '../requests/shown.js';

/** A step of a task, or of a child task, as HTTP shows it. */
export type PublicPlace = Shown<'RollbackPlan'>['leftOver'][number];

/** One undo as HTTP shows it. */
type PublicUndo = Shown<'RollbackPlan'>['items'][number];

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

type Found = { readonly values: JsonObject } | { readonly why: string };

const NONE_ASKED: Found = { values: {} };

/**
 * The undos of a plan as HTTP shows them, with the values of their expressions, unless `draft` is
 * aborted before.
 */
export async function presentUndos(
  options: CommonParts & ExecutorParts,
  undos: readonly FamilyUndo[],
  draft: AbortSignal,
): Promise<readonly PublicUndo[]> {
  const records = undos.length === 0 ? [] : await options.executors.seen();
  const parameters = new UndoParameters({ ...options, draft });
  const items: PublicUndo[] = [];
  for (const each of undos) {
    items.push({ ...presentUndo(each, records), ...(await parameters.of(each)) });
  }
  return items;
}

/** The name of the step at a place. */
export function nameAt(task: Task, place: number): string {
  return stepAt(task, place)?.name ?? '';
}

/** A step as HTTP shows it. */
export function presentPlace({ place, task }: FamilyStep): PublicPlace {
  return { taskId: task.plan.taskId, step: nameAt(task, place), id: runIdOf(task, place) };
}

function presentUndo(
  { task, undo }: FamilyUndo,
  records: readonly SeenExecutor[],
): Omit<PublicUndo, 'parameters' | 'unresolved'> {
  const { command, module } = undo.action;
  const served = records.some((record) => {
    const isSilent = record.worker === true && record.silentSince !== null;
    return record.module === module && !isSilent && mayHave(record, command);
  });
  return { ...presentPlace({ task, place: undo.place }), module, command, served };
}

/**
 * Works out what the expressions in the parameters of undos come to, for one plan: so many of them,
 * and for as long as the plan may take. Secrets are masked.
 */
class UndoParameters {
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
