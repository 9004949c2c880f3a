import type { JsonValue } from '../json/json.js';
import type { Answer, Question } from '../task/question.js';
import type { FlowOfTask, TaskRequest } from '../task/task.js';

/** The labels of a task. */
type Labels = Readonly<Record<string, string>>;

/** Most labels of a task. */
export const LABELS_MAX = 64;
/** Most characters of the value of a label. */
const LABEL_LENGTH_MAX = 500;

/** Labels of a flow cannot be worked out for a request, so there is no task. */
export class LabelsFailed extends Error {
  override readonly name = 'LabelsFailed';

  /** `label`: which of them; empty: all together. */
  constructor(
    readonly label: string,
    readonly reason: string,
  ) {
    super(`${label === '' ? 'the labels' : `the label ${label}`}: ${reason}`);
  }
}

/** For whom labels are worked out. */
export interface Newcomer {
  readonly taskId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * The question for the labels that a flow adds to a request. It leaves out labels that the request
 * gives itself, since these win. Null: there is nothing to ask, as for a flow without labels.
 */
export function labelsQuestion(
  { definition, version }: FlowOfTask,
  { labels = {}, parameters }: TaskRequest,
  { now, taskId }: Newcomer,
): Question | null {
  const { constants, labels: templates, name } = definition;
  if (templates === undefined) return null;
  const open = Object.entries(templates).filter(([label]) => !Object.hasOwn(labels, label));
  if (open.length === 0) return null;
  const members = open.map(([label, template]) => ({ name: label, template, as: 'json' }) as const);
  const createdAt = Math.floor(now / 1_000);
  return {
    members,
    scene: {
      parameters: { ...constants, ...parameters },
      input: parameters,
      steps: {},
      states: {},
      task: { id: taskId, flow: name, version, labels, createdAt },
      index: null,
      now,
    },
  };
}

/** The labels of a request with those that its flow adds. Throws `LabelsFailed`. */
export function labelsWith(own: Labels, answer: Answer): Labels {
  if ('fault' in answer) {
    const { member, position, reason } = answer.fault;
    const at = position === null ? '' : `, at position ${position}`;
    throw new LabelsFailed(member, `the expression failed${at}: ${reason}`);
  }
  const added: [string, string][] = [];
  for (const [label, value = null] of Object.entries(answer.values)) {
    const text = labelText(value);
    if (text === null) throw new LabelsFailed(label, WRONG_VALUE);
    added.push([label, text]);
  }
  const labels = { ...Object.fromEntries(added), ...own };
  if (Object.keys(labels).length <= LABELS_MAX) return labels;
  throw new LabelsFailed('', `a task has at most ${LABELS_MAX} labels, those of its flow included`);
}

const WRONG_VALUE =
  `it comes to no text of up to ${LABEL_LENGTH_MAX} characters, none of them control, ` +
  'and to no number, true or false';

/** Numbers, true and false are written as texts. */
function labelText(value: JsonValue): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string' || value.length > LABEL_LENGTH_MAX) return null;
  return /\p{Cc}/u.test(value) ? null : value;
}
