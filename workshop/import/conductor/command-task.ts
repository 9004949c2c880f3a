import type { JsonObject, JsonValue } from '#core';
import { nameOf } from '../names.js';
import { below, memberOf, numberIn, objectIn, textIn } from '../source.js';
import { retryOf, type Step, timesOf, type Trying } from '../step.js';
import { codeOfValue, type Sight, writeValue } from './references.js';
import type { TaskNode } from './workflow-tree.js';

/** A task whose work an executor does: one command, without a way back so far. */
export function commandStep(node: TaskNode, command: string, sight: Sight): Step {
  const { module, notes } = sight;
  const name = nameOf(command, 'task');
  const message = `An executor must serve \`${module}.${name}\` and return an object.`;
  notes.add(below(node.pointer, 'name'), 'COMMAND_NEEDED', message);
  if (memberOf(node.value, 'asyncComplete') === true) {
    const later = `\`${module}.${name}\` is completed from outside, by \`completeLater\`.`;
    notes.add(below(node.pointer, 'asyncComplete'), 'COMMAND_NEEDED', later);
  }
  const given = memberOf(node.value, 'inputParameters');
  const pointer = below(node.pointer, 'inputParameters');
  const parameters = given === undefined ? {} : writeValue({ value: given, pointer }, sight);
  return actionStep(node, { module, command: name, parameters }, sight);
}

/** `HTTP`: the command `request` of the module `http`. */
export function httpStep(node: TaskNode, sight: Sight): Step {
  const inputs = objectIn(node.value, 'inputParameters');
  const at = below(node.pointer, 'inputParameters');
  const isInner = memberOf(inputs, 'http_request') !== undefined;
  const request = isInner ? objectIn(inputs, 'http_request') : inputs;
  const pointer = isInner ? below(at, 'http_request') : at;
  const read = (name: string): JsonValue => {
    return writeValue({ value: memberOf(request, name), pointer: below(pointer, name) }, sight);
  };
  const headers: Record<string, JsonValue> = {};
  for (const [member, header] of HEADERS) {
    if (memberOf(request, member) !== undefined) headers[header] = read(member);
  }
  const own = memberOf(request, 'headers') === undefined ? {} : (read('headers') as JsonObject);
  const all = { ...headers, ...own };
  const parameters: JsonObject = {
    method: textIn(request, 'method') === undefined ? 'GET' : read('method'),
    url: read('uri'),
    ...(Object.keys(all).length > 0 && { headers: all }),
    ...(memberOf(request, 'body') !== undefined && { body: read('body') }),
  };
  return actionStep(node, { module: 'http', command: 'request', parameters }, sight);
}

const HEADERS = [
  ['accept', 'Accept'],
  ['contentType', 'Content-Type'],
] as const;

/** The task whose name is data: a list of one step that is data. */
export function dynamicTaskStep(node: TaskNode, sight: Sight): Step {
  const member = textIn(node.value, 'dynamicTaskNameParam') ?? 'taskToExecute';
  const inputs = objectIn(node.value, 'inputParameters');
  const pointer = below(node.pointer, 'inputParameters');
  const command = codeOfValue({ value: memberOf(inputs, member), pointer }, sight);
  const others = Object.fromEntries(Object.entries(inputs).filter(([name]) => name !== member));
  const parameters = codeOfValue({ value: others, pointer }, sight);
  const message = 'An executor must serve the command when the step starts.';
  sight.notes.add(node.pointer, 'DYNAMIC_TASKS', message);
  const normal = `{"module": "${sight.module}", "command": ${command}, "parameters": ${parameters}}`;
  const code = `[{"name": "chosen", "normal": ${normal}}]`;
  return { name: node.step, dynamic: { steps: `{% ${code} %}` } };
}

interface Called {
  readonly module: string;
  readonly command: string;
  readonly parameters: JsonValue;
}

function actionStep(node: TaskNode, { command, module, parameters }: Called, sight: Sight): Step {
  const { notes } = sight;
  const definition = { ...objectIn(node.value, 'taskDefinition') };
  const trying = tryingOf(node, definition, sight);
  const seconds = secondsOf(node, definition, sight);
  const message = `Write the \`rollback\` of \`${module}.${command}\`, or \`null\`.`;
  const isLooking = module === 'http' && /^(GET|HEAD)$/i.test(methodOf(parameters));
  if (!isLooking) notes.add(node.pointer, 'NO_ROLLBACK', message);
  const isEmpty = Object.keys(parameters as JsonObject).length === 0;
  const normal = {
    module,
    command,
    ...timesOf(seconds, trying),
    ...retryOf(trying),
    ...(!isEmpty && { parameters }),
  };
  return { name: node.step, normal };
}

function methodOf(parameters: JsonValue): string {
  return textIn(parameters, 'method') ?? '';
}

function tryingOf(
  { pointer, value }: TaskNode,
  definition: JsonObject,
  sight: Sight,
): Trying | undefined {
  const count = numberIn(value, 'retryCount') ?? numberIn(definition, 'retryCount');
  if (count === undefined) {
    const message =
      'Write the retries and timeouts of the registered task definition into the flow.';
    sight.notes.add(pointer, 'RETRY_CHANGED', message);
  }
  if (!count) return undefined;
  const logic = textIn(definition, 'retryLogic') ?? 'FIXED';
  if (logic === 'LINEAR_BACKOFF') {
    const message = 'Each delay is twice the one before. In the source they grow by a constant.';
    sight.notes.add(pointer, 'RETRY_CHANGED', message);
  }
  return {
    attempts: Math.floor(count) + 1,
    delay: numberIn(definition, 'retryDelaySeconds') ?? 60,
    backoff: logic === 'FIXED' ? 'fixed' : 'exponential',
  };
}

function secondsOf(
  { pointer }: TaskNode,
  definition: JsonObject,
  sight: Sight,
): number | undefined {
  const seconds = numberIn(definition, 'timeoutSeconds');
  const policy = textIn(definition, 'timeoutPolicy');
  if (!seconds || policy !== 'ALERT_ONLY') return seconds;
  const message = 'The timeout fails the step. In the source it only raises an alert.';
  sight.notes.add(pointer, 'TIMEOUT_CHANGED', message);
  return seconds;
}
