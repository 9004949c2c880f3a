/**
 * Text of a name: no control characters, so that it can be shown, logged and stored anywhere. The
 * patterns stand in the OpenAPI document: they have the syntax that ECMA-262, RE2 and Python share.
 */
export const FLOW_NAME = '^[^\\x00-\\x1f\\x7f-\\x9f]{1,200}$';
export const KEY = '^[^\\x00-\\x1f\\x7f-\\x9f]{1,255}$';
export const LABEL_NAME = '^[^\\x00-\\x1f\\x7f-\\x9f]{1,100}$';
export const LABEL_VALUE = '^[^\\x00-\\x1f\\x7f-\\x9f]{0,500}$';
/** Code of an error, as a command gives it. */
export const ERROR_CODE = '^[A-Z][A-Z0-9_]{0,63}$';
/** Of any form: which one is right is nobody's business. */
export const COMPLETION_TOKEN = '^[^\\x00-\\x1f\\x7f-\\x9f]{1,200}$';
/** Name of a signal. */
export const SIGNAL = '^[^\\x00-\\x1f\\x7f-\\x9f]{1,200}$';
/** Something must be readable in it: what surrounds it is cut off. */
export const ACTOR = '^[^\\x00-\\x1f\\x7f-\\x9f]{1,200}$';
/** A value that lists are filtered by. */
export const FILTER = '^[^\\x00-\\x1f\\x7f-\\x9f]*$';
/** The beginning of the id of a task: shorter ones would fit a great many. */
export const ID_PREFIX = '^[0-9a-f-]{8,36}$';
/** Entity tags, one or several, as `If-Match` takes them. Those of revisions are numbers. */
export const ENTITY_TAGS =
  '^(?:W/)?"[!#-~\\x80-\\xff]{0,200}"(?:\\s*,\\s*(?:W/)?"[!#-~\\x80-\\xff]{0,200}")*$';
/** Blanks as `\s` knows them in JavaScript. They are written out, since it differs elsewhere. */
const BLANK = ' \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

/** A JSON Schema of text. RE2 counts to 1,000 only, so the length stands beside the pattern. */
export interface TextForm {
  readonly type: 'string';
  readonly minLength: number;
  readonly maxLength: number;
  readonly pattern: string;
}

/** Text of one line, without control characters. */
export function lineForm(minLength: number, maxLength: number): TextForm {
  return { type: 'string', minLength, maxLength, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$' };
}

/** Such a line of which something is readable. */
export function readableLineForm(maxLength: number): TextForm {
  const plain = '[^\\x00-\\x1f\\x7f-\\x9f]';
  const pattern = `^[${BLANK}]*[^${BLANK}\\x00-\\x1f\\x7f-\\x9f]${plain}*$`;
  return { ...lineForm(1, maxLength), pattern };
}

/** Name of a step or id of its run, which has the names of all groups around it. */
export const STEP = lineForm(1, 2_100);
/** Id of a child task, which is looked for whatever its form. */
export const CHILD_ID = lineForm(1, 200);
const CHILDREN_WORDS = ['failed', 'all'] as const;

/** Which child tasks of a step are meant. */
export type ChildrenForm = (typeof CHILDREN_WORDS)[number] | { readonly id: string };

/** The same as a JSON Schema. */
export const CHILDREN = {
  oneOf: [
    { type: 'string', enum: CHILDREN_WORDS },
    {
      type: 'object',
      required: ['id'],
      additionalProperties: false,
      properties: { id: { ...CHILD_ID, description: 'Id of a child task.' } },
    },
  ],
};

/** Whether something says which child tasks are meant. */
export function isChildrenForm(value: unknown): value is ChildrenForm {
  if (typeof value === 'string') return CHILDREN_WORDS.some((word) => word === value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.keys(value).join() === 'id' && fits(CHILD_ID)((value as { id: unknown }).id);
}

/** Something must be readable in it. */
export const REASON: TextForm = {
  type: 'string',
  minLength: 1,
  maxLength: 1_000,
  pattern: `^[${BLANK}\\x01-\\x1f\\x7f-\\x9f]*[^${BLANK}\\x00-\\x1f\\x7f-\\x9f][^\\x00]*$`,
};

export const LABELS_MAX = 64;
/** Seconds of head start, a day at most. */
export const PRIORITY_MAX = 86_400;
export const BATCH_MAX = 1_000;
export const PAGE_MAX = 200;
export const PAGE_DEFAULT = 50;
/** Of lists that most callers want as a whole. */
export const WHOLE_PAGE_MAX = 1_000;
/** Seconds of the longest interval that tasks are counted by: 31 days. */
export const EVERY_MAX = 2_678_400;
/** Longest time that a request may wait for its task. */
export const WAIT_MAX_MS = 600_000;

/** A pattern as the request classes and the JSON Schemas read it. */
export function pattern(source: string): RegExp {
  return new RegExp(source, 'u');
}

/** The check of a form. A text that is far too long is not looked through. */
export function fits({ maxLength, minLength, pattern: source }: TextForm) {
  const rule = pattern(source);
  return (value: unknown): boolean => {
    if (typeof value !== 'string' || value.length > 2 * maxLength) return false;
    // JSON Schema counts code points.
    const { length } = Array.from(value);
    return length >= minLength && length <= maxLength && rule.test(value);
  };
}
