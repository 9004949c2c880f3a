import { type Answer, askedOf, type FlowOfTask, type Question, type TaskRequest } from '#core';
import { labelsQuestion, labelsWith, type Newcomer } from '#core/values';
import type { AbortSignalLike } from './time-and-chance.js';

/**
 * Works out what the expressions of a question stand for. Safe to ask again: an answer depends on
 * its question alone, and where it comes to steps, on the commands that there are.
 */
export interface Evaluator {
  /**
   * Evaluates the members of a question. Faults of an expression are part of the answer. Rejects
   * where no answer can be had now, which is never the fault of the expression. A question with
   * `draft` is one that a request alone waits for, and no task: it stands back behind those of
   * tasks, and is given up once that is aborted. All questions of one request bring the same one.
   */
  answer(question: Question, draft?: AbortSignalLike): Promise<Answer>;
}

/**
 * The request with the labels that its flow adds; the same object where it adds none. A request
 * becomes a task only through this. Throws `LabelsFailed`.
 */
export async function withFlowLabels(
  flow: FlowOfTask,
  request: TaskRequest,
  { answer, ...newcomer }: Newcomer & Pick<Evaluator, 'answer'>,
): Promise<TaskRequest> {
  const question = labelsQuestion(flow, request, newcomer);
  if (question === null) return request;
  const { values } = askedOf(question.members);
  const answered = values === null ? await answer(question) : { values };
  return { ...request, labels: labelsWith(request.labels ?? {}, answered) };
}
