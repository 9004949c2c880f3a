import type { FlowOfTask, TaskRequest } from '#core';
import { labelsQuestion, labelsWith, literalLabels } from '#core/values';
import type { Entropy, Evaluator } from '#ports';
import { answerFor } from './answer-for.js';

/** Labels of a flow cannot be worked out for a request, so there is no task. */
export class LabelsFailed extends Error {
  override readonly name = 'LabelsFailed';

  /** `label`: which of them; empty: all together. */
  constructor(
    readonly label: string,
    reason: string,
  ) {
    super(reason);
  }
}

/** The parts that labels are worked out with, the id that the task will have, and the moment. */
interface LabelTerms {
  readonly entropy: Entropy;
  readonly evaluator: Evaluator;
  readonly taskId: string;
  readonly now: number;
}

/**
 * The request with the labels that its flow adds; the same object where it adds none. Throws
 * `LabelsFailed`.
 */
export async function withFlowLabels(
  flow: FlowOfTask,
  request: TaskRequest,
  { entropy, evaluator, now, taskId }: LabelTerms,
): Promise<TaskRequest> {
  const question = labelsQuestion(flow, request, { taskId, now });
  if (question === null) return request;
  const values = literalLabels(question);
  const terms = { entropy, evaluator, hasSecrets: request.hasSecrets ?? false, isShown: true };
  const answer = values === null ? await answerFor(terms, question) : { values };
  const result = labelsWith(request.labels ?? {}, answer);
  if ('labels' in result) return { ...request, labels: result.labels };
  throw new LabelsFailed(result.label, result.reason);
}
