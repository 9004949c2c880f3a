import type { JsonObject, JsonValue } from '#core';
import { nameOf, StepNames } from '../names.js';
import {
  below,
  clip,
  inputOf,
  isObject,
  listIn,
  memberOf,
  numberIn,
  objectIn,
  type Target,
  textIn,
} from '../source.js';
import { duration, type Step, STEPS_MAX } from '../step.js';
import { type Sight, writeValue } from './references.js';
import { shownStep, taskStep } from './task-steps.js';
import { type TaskList, WorkflowTree } from './workflow-tree.js';

const WORKFLOWS_MAX = 100;

/** The flow file of a workflow of Conductor, or of a list of them. */
export function importWorkflows(source: JsonValue, target: Target): JsonObject {
  const isList = Array.isArray(source);
  const all = isList ? (source as readonly JsonValue[]) : [source];
  if (all.length === 0 || all.length > WORKFLOWS_MAX) {
    const message = `A file must have 1 to ${WORKFLOWS_MAX} workflows.`;
    return target.notes.refuse('', 'NOT_THE_FORMAT', message);
  }
  const flows = new Map<string, JsonObject>();
  all.forEach((workflow, n) => {
    const pointer = isList ? below('', n) : '';
    if (!isObject(workflow)) {
      target.notes.refuse(pointer, 'NOT_THE_FORMAT', 'A workflow must be an object with `tasks`.');
    }
    const name = nameOf(textIn(workflow, 'name') ?? target.name, target.name);
    if (flows.has(name)) {
      target.notes.refuse(
        pointer,
        'NOT_THE_FORMAT',
        `Two workflows have the name \`${clip(name)}\`.`,
      );
    }
    flows.set(name, flowOf(workflow, pointer, target));
  });
  return Object.fromEntries(flows);
}

function flowOf(workflow: JsonObject, pointer: string, { module, notes }: Target): JsonObject {
  const names = new StepNames(notes);
  const tree = new WorkflowTree(workflow, pointer, { notes, names });
  if (tree.tasks().length > STEPS_MAX) {
    notes.refuse(pointer, 'TOO_LARGE', `There are more than ${STEPS_MAX} tasks.`);
  }
  const sight: Sight = { tree, notes, list: tree.root, task: null, module };
  const lists = new Map<TaskList, Step[]>();
  const steps = writeList(tree.root, sight, lists);
  const outputs = memberOf(workflow, 'outputParameters');
  const at = below(pointer, 'outputParameters');
  const output =
    outputs === undefined ? undefined : writeValue({ value: outputs, pointer: at }, sight);
  // References further on may have asked for what a list has to show.
  for (const [list, written] of lists) {
    const shown = shownStep(list);
    if (shown !== null)
      written.push({ ...shown, name: names.make(textIn(shown, 'name') ?? 'shown') });
  }
  if (steps.length === 0)
    notes.refuse(pointer, 'NOT_THE_FORMAT', 'The workflow has no task that becomes a step.');
  noteRest(workflow, pointer, notes);
  const flow = { ...headOf(workflow), ...(output !== undefined && { output }), steps };
  const declared = listIn(workflow, 'inputParameters').filter((name) => typeof name === 'string');
  return { ...flow, input: inputOf(flow, declared) };
}

function writeList(list: TaskList, sight: Sight, lists: Map<TaskList, Step[]>): Step[] {
  const steps = list.tasks.flatMap((task) => {
    return taskStep(task, { ...sight, list, task }, (inner) => writeList(inner, sight, lists));
  });
  lists.set(list, steps);
  return steps;
}

function headOf(workflow: JsonObject): JsonObject {
  const description = textIn(workflow, 'description');
  const seconds = numberIn(workflow, 'timeoutSeconds');
  const failureFlow = textIn(workflow, 'failureWorkflow');
  const constants = { ...objectIn(workflow, 'inputTemplate'), ...objectIn(workflow, 'variables') };
  const isLimit = textIn(workflow, 'timeoutPolicy') !== 'ALERT_ONLY';
  return {
    ...(description !== undefined && { description }),
    input: {},
    ...(Object.keys(constants).length > 0 && { constants }),
    ...(seconds !== undefined && seconds > 0 && isLimit && { timeout: duration(seconds) }),
    ...(failureFlow !== undefined && { failureFlow: nameOf(failureFlow, 'failure') }),
  };
}

const REST = [
  'version',
  'workflowStatusListenerEnabled',
  'inputSchema',
  'outputSchema',
  'rateLimitConfig',
];

function noteRest(workflow: JsonObject, pointer: string, notes: Target['notes']): void {
  for (const member of REST) {
    if (memberOf(workflow, member) === undefined) continue;
    notes.add(below(pointer, member), 'NOT_CARRIED', `\`${member}\` has no counterpart.`);
  }
  if (textIn(workflow, 'failureWorkflow') !== undefined) {
    const message =
      'The parameters of a failure flow are `{taskId, flow, status, step, code, message}`.';
    notes.add(below(pointer, 'failureWorkflow'), 'NOT_CARRIED', message);
  }
}
