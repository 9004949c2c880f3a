/**
 * Text of a name: no control characters, so that it can be shown, logged and stored anywhere. They
 * are ranges because the patterns stand in the OpenAPI document, and few tools know classes.
 */
export const FLOW_NAME = '^[^\\u0000-\\u001f\\u007f-\\u009f]{1,200}$';
export const KEY = '^[^\\u0000-\\u001f\\u007f-\\u009f]{1,255}$';
export const LABEL_NAME = '^[^\\u0000-\\u001f\\u007f-\\u009f]{1,100}$';
export const LABEL_VALUE = '^[^\\u0000-\\u001f\\u007f-\\u009f]{0,500}$';
/** Name of a step or id of its run, which has the names of all groups around it. */
export const STEP = '^[^\\u0000-\\u001f\\u007f-\\u009f]{1,2100}$';
/** Code of an error, as a command gives it. */
export const ERROR_CODE = '^[A-Z][A-Z0-9_]{0,63}$';
/** Of any form: which one is right is nobody's business. */
export const COMPLETION_TOKEN = '^[^\\u0000-\\u001f\\u007f-\\u009f]{1,200}$';
/** Name of a signal. */
export const SIGNAL = '^[^\\u0000-\\u001f\\u007f-\\u009f]{1,200}$';
/** Something must be readable in it: what surrounds it is cut off. */
export const ACTOR = '^[^\\u0000-\\u001f\\u007f-\\u009f]{1,200}$';
/** A value that lists are filtered by. */
export const FILTER = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';
/** The beginning of the id of a task: shorter ones would fit a great many. */
export const ID_PREFIX = '^[0-9a-f-]{8,36}$';
/** Entity tags, one or several, as `If-Match` takes them. Those of revisions are numbers. */
export const ENTITY_TAGS =
  '^(?:W/)?"[!#-~\\u0080-\\u00ff]{0,200}"(?:\\s*,\\s*(?:W/)?"[!#-~\\u0080-\\u00ff]{0,200}")*$';
/** Something must be readable in it. */
export const REASON = '^(?=[\\s\\S]*[^\\s\\u0000-\\u001f\\u007f-\\u009f])[^\\u0000]{1,1000}$';

export const LABELS_MAX = 64;
/** Seconds of head start, a day at most. */
export const PRIORITY_MAX = 86_400;
export const BATCH_MAX = 1_000;
export const PAGE_MAX = 200;
export const PAGE_DEFAULT = 50;
/** Seconds of the longest interval that tasks are counted by: 31 days. */
export const EVERY_MAX = 2_678_400;
/** Longest time that a request may wait for its task. */
export const WAIT_MAX_MS = 600_000;
/** Bytes of what a signal carries, as JSON. */
export const PAYLOAD_MAX = 65_536;

/** A pattern as the request classes and the JSON Schemas read it. */
export function pattern(source: string): RegExp {
  return new RegExp(source, 'u');
}
