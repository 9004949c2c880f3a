import type { JsonValue } from '#core';
import type { WorkItem } from '#worker';

/** Longer values are on standard input alone: the system takes no environment of any size. */
const VALUE_BYTES_MAX = 32 * 1024;
const PARAMETER_BYTES_MAX = 512 * 1024;
/** Of what the system keeps with each variable: a sign, an end, and its address. */
const VARIABLE_BYTES = 10;
/** Of the name of a variable: that of a key in a Secret of Kubernetes. */
const NAME_MAX = 253;

type Variables = Readonly<Record<string, string>>;

/** The places that a program is given for one attempt. */
interface Places {
  /** A folder of its own, which is removed after it. */
  readonly folder: string;
  /** A file that it may write its output to. */
  readonly output: string;
}

/**
 * The environment of a program: that of the worker, without the settings and keys of Backstep, and
 * what the program may want to know of its action.
 */
export function programEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  item: WorkItem,
  { folder, output }: Places,
): Variables {
  return {
    ...foreign(env),
    ...parameterVariables(item.parameters),
    ...itemVariables(item),
    BACKSTEP_DIR: folder,
    BACKSTEP_OUTPUT: output,
  };
}

/** A program is no part of Backstep: it gets no key of the worker. */
function foreign(env: Readonly<Record<string, string | undefined>>): Variables {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && !/^BACKSTEP_(?!X_|URL$)/.test(entry[0]),
    ),
  );
}

/** Variables that tell a program of its action. */
export function itemVariables(item: WorkItem): Variables {
  const { forward, timeLeftMs, traceparent } = item;
  return {
    BACKSTEP_TASK_ID: item.taskId,
    BACKSTEP_FLOW: item.flow,
    BACKSTEP_STEP: item.step,
    BACKSTEP_RUN: item.run,
    BACKSTEP_MODULE: item.module,
    BACKSTEP_COMMAND: item.command,
    BACKSTEP_DIRECTION: item.direction,
    BACKSTEP_ATTEMPT: String(item.attempt),
    BACKSTEP_IDEMPOTENCY_KEY: item.idempotencyKey,
    BACKSTEP_FORWARD_KEY: item.forwardKey,
    BACKSTEP_FENCING_TOKEN: String(item.fencingToken),
    ...(forward !== undefined && { BACKSTEP_FORWARD_STATE: forward.state }),
    BACKSTEP_TIME_LEFT_MS: String(timeLeftMs),
    ...(traceparent !== null && { TRACEPARENT: traceparent }),
  };
}

/**
 * `BACKSTEP_PARAM_<NAME>` for each parameter that is a text, a number or a boolean. Names that
 * would share a variable get none, as nobody could tell which of them it is.
 */
export function parameterVariables(parameters: WorkItem['parameters']): Variables {
  const found = new Map<string, string | null>();
  let left = PARAMETER_BYTES_MAX;
  for (const [name, value] of Object.entries(parameters)) {
    const variable = `BACKSTEP_PARAM_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
    const isNamed = variable.length <= NAME_MAX && !found.has(variable);
    const text = isNamed ? plainText(value) : null;
    left -= text === null ? 0 : variable.length + Buffer.byteLength(text) + VARIABLE_BYTES;
    found.set(variable, left < 0 ? null : text);
  }
  return Object.fromEntries(
    [...found].filter((pair): pair is [string, string] => pair[1] !== null),
  );
}

/** Null: it cannot be a variable. */
function plainText(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null || typeof value === 'object') return null;
  const text = String(value);
  return text.includes('\0') || Buffer.byteLength(text) > VALUE_BYTES_MAX ? null : text;
}
