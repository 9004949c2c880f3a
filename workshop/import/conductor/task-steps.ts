import type { JsonObject, JsonValue } from '#core';
import { checked, literal, marked } from '../code.js';
import { codeOf, nameOf } from '../names.js';
import { below, clip, isObject, memberOf, numberIn, objectIn, textIn } from '../source.js';
import { duration, ROUNDS_MAX, type Step } from '../step.js';
import { commandStep, dynamicTaskStep, httpStep } from './command-task.js';
import { caseCode, loopCondition } from './conditions.js';
import { codeOfValue, type Sight, writeValue } from './references.js';
import type { TaskList, TaskNode } from './workflow-tree.js';

/** Makes the steps of a list in a step. */
type WriteList = (list: TaskList) => Step[];

/** Makes the step of a task; null: the task has no step of its own. */
type Write = (node: TaskNode, sight: Sight, write: WriteList) => Step | null;

/** The step of a task, and what every task may say; null: the task needs none. */
export function taskStep(node: TaskNode, sight: Sight, write: WriteList): readonly Step[] {
  const make = TYPES.get(node.type) ?? otherStep;
  const step = make(node, sight, write);
  if (step === null) return [];
  const isOptional = memberOf(node.value, 'optional') === true;
  const delay = numberIn(node.value, 'startDelay') ?? 0;
  const before = { name: `${node.step}-delay`, wait: { for: duration(delay) } };
  const [first] = delay > 0 ? [before] : [];
  const whole = isOptional ? { ...step, optional: true } : step;
  return first === undefined ? [whole] : [first, whole];
}

const TYPES: ReadonlyMap<string, Write> = new Map<string, Write>([
  ['SIMPLE', (node, sight) => commandStep(node, textIn(node.value, 'name') ?? node.ref, sight)],
  ['HTTP', (node, sight) => httpStep(node, sight)],
  ['SWITCH', switchStep],
  ['DECISION', switchStep],
  ['FORK_JOIN', forkStep],
  ['JOIN', joinStep],
  ['EXCLUSIVE_JOIN', joinStep],
  ['FORK_JOIN_DYNAMIC', dynamicForkStep],
  ['DO_WHILE', loopStep],
  ['SUB_WORKFLOW', subWorkflowStep],
  ['DYNAMIC', (node, sight) => dynamicTaskStep(node, sight)],
  ['WAIT', waitStep],
  ['HUMAN', humanStep],
  ['SET_VARIABLE', setStep],
  ['TERMINATE', terminateStep],
]);

/** Work that Conductor's server does itself: a command of the task's own name does it here. */
function otherStep(node: TaskNode, sight: Sight): Step {
  const message = `\`${clip(node.type)}\` has no counterpart. A command does its work.`;
  sight.notes.add(node.pointer, 'NOT_CARRIED', message);
  return commandStep(node, node.ref, sight);
}

function switchStep(node: TaskNode, sight: Sight, write: WriteList): Step | null {
  const code = caseCode(node, sight);
  const choice = node.lists.slice(0, -1).map((list) => {
    const when = checked(`$string(${code}) = ${literal(list.label)}`, {
      notes: sight.notes,
      pointer: node.pointer,
    });
    return { when, steps: filled(write(list), node) };
  });
  const last = node.lists.at(-1);
  const rest = last === undefined || last.tasks.length === 0 ? [] : write(last);
  if (choice.length === 0) return rest.length === 0 ? null : { name: node.step, group: rest };
  return { name: node.step, choice, ...(rest.length > 0 && { otherwise: rest }) };
}

/** A list has a step at least. It stays the list that was written, as more may be put to it. */
function filled(steps: Step[], { step }: TaskNode): Step[] {
  return steps.length > 0 ? steps : [{ name: `${step}-nothing`, set: { [step]: true } }];
}

function forkStep(node: TaskNode, _: Sight, write: WriteList): Step | null {
  const branches = node.lists.filter(({ tasks }) => tasks.length > 0);
  if (branches.length === 0) return null;
  const parallel = Object.fromEntries(
    branches.map((list): [string, Step[]] => [list.label, filled(write(list), node)]),
  );
  return { name: node.step, parallel };
}

function joinStep(node: TaskNode, { notes }: Sight): null {
  const index = node.list.tasks.indexOf(node);
  const fork = node.list.tasks[index - 1];
  const ends = new Set(fork?.lists.map(({ tasks }) => tasks.at(-1)?.ref));
  const waitsFor = memberOf(node.value, 'joinOn');
  const isWhole = Array.isArray(waitsFor) && waitsFor.every((ref) => ends.delete(String(ref)));
  if (fork?.type !== 'FORK_JOIN_DYNAMIC' && (!isWhole || ends.size > 0)) {
    const message = 'The step waits until all branches have ended.';
    notes.add(node.pointer, 'JOIN_CHANGED', message);
  }
  return null;
}

/** Tasks that are data: branches that are data. */
function dynamicForkStep(node: TaskNode, sight: Sight): Step {
  const inputs = objectIn(node.value, 'inputParameters');
  const read = (name: string): string => {
    const pointer = below(below(node.pointer, 'inputParameters'), name);
    return codeOfValue({ value: memberOf(inputs, name), pointer }, sight);
  };
  const { module } = sight;
  const place = { notes: sight.notes, pointer: node.pointer };
  const command = textIn(inputs, 'forkTaskName');
  if (command !== undefined) {
    const as = `item_${node.step.replace(/\W/g, '_')}`.slice(0, 100);
    const name = nameOf(command, 'task');
    const message = `\`${module}.${name}\` reads its input from the parameter \`${as}\`.`;
    sight.notes.add(node.pointer, 'INPUT_MERGED', message);
    sight.notes.add(
      node.pointer,
      'NO_ROLLBACK',
      `Write the \`rollback\` of \`${module}.${name}\`.`,
    );
    const steps = [{ name: `${node.step}-each`, normal: { module, command: name } }];
    return { name: node.step, foreach: { in: checked(read('forkTaskInputs'), place), as, steps } };
  }
  const message = 'Only commands are imported. An executor must serve them when the step starts.';
  sight.notes.add(node.pointer, 'DYNAMIC_TASKS', message);
  const tasks = read(textIn(node.value, 'dynamicForkTasksParam') ?? 'dynamicTasks');
  const given = read(textIn(node.value, 'dynamicForkTasksInputParamName') ?? 'dynamicTasksInput');
  const normal = `{"module": ${literal(module)}, "command": name, "parameters": $lookup(${given}, taskReferenceName)}`;
  const branch = `{taskReferenceName: [{"name": taskReferenceName, "normal": ${normal}}]}`;
  const all = `[{"name": "all", "parallel": $merge((${tasks}).${branch})}]`;
  // Without tasks there are no branches, and nothing to do.
  const code = `${all}[$exists(parallel)]`;
  return { name: node.step, dynamic: { steps: checked(code, place) } };
}

function loopStep(node: TaskNode, sight: Sight, write: WriteList): Step {
  const [body] = node.lists;
  const message = `The loop has a bound of ${ROUNDS_MAX} rounds. Write a lower one if you can.`;
  sight.notes.add(node.pointer, 'LOOP_BOUND', message);
  const again = loopCondition(node, sight);
  const steps = filled(body === undefined ? [] : write(body), node);
  return { name: node.step, loop: { steps, while: again, max: ROUNDS_MAX } };
}

function subWorkflowStep(node: TaskNode, sight: Sight): Step {
  const given = objectIn(node.value, 'subWorkflowParam');
  const inline = memberOf(given, 'workflowDefinition');
  const name = textIn(given, 'name') ?? textIn(inline, 'name') ?? textIn(node.value, 'name');
  if (isObject(inline)) {
    const message = 'The inner workflow is not imported. Import it from a file of its own.';
    sight.notes.add(below(node.pointer, 'subWorkflowParam'), 'NOT_CARRIED', message);
  }
  if (memberOf(given, 'version') !== undefined) {
    const message = 'The step starts the newest version. Backstep numbers versions itself.';
    sight.notes.add(below(node.pointer, 'subWorkflowParam'), 'NOT_CARRIED', message);
  }
  const pointer = below(node.pointer, 'inputParameters');
  const parameters = writeValue(
    { value: memberOf(node.value, 'inputParameters') ?? {}, pointer },
    sight,
  );
  const flow = nameOf(name ?? node.ref, 'flow');
  return { name: node.step, flow: { name: flow, parameters } };
}

function waitStep(node: TaskNode, sight: Sight): Step {
  const inputs = objectIn(node.value, 'inputParameters');
  const pointer = below(node.pointer, 'inputParameters');
  const period = memberOf(inputs, 'duration');
  if (typeof period === 'string')
    return { name: node.step, wait: { for: periodOf(period, node, sight) } };
  const until = memberOf(inputs, 'until');
  if (until === undefined) return { name: node.step, wait: { signal: node.step } };
  if (typeof until === 'string' && until.includes('${')) {
    return { name: node.step, wait: { until: writeValue({ value: until, pointer }, sight) } };
  }
  const found = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d))?(?: (?:GMT|UTC|Z))?$/.exec(
    typeof until === 'string' ? until : '',
  );
  if (found === null) {
    return sight.notes.refuse(pointer, 'NOT_THE_FORMAT', '`until` must be a date and time.');
  }
  return { name: node.step, wait: { until: `${found[1]}T${found[2] ?? '00:00'}Z` } };
}

const UNITS: Readonly<Record<string, number>> = { d: 86_400, h: 3_600, m: 60, s: 1 };

/** `1 days 2 hours`, `90s` or a reference. */
function periodOf(text: string, node: TaskNode, sight: Sight): JsonValue {
  const pointer = below(below(node.pointer, 'inputParameters'), 'duration');
  if (text.includes('${')) {
    const message = 'The expression must return a number of seconds, or text such as `30s`.';
    sight.notes.add(pointer, 'NOT_CARRIED', message);
    return writeValue({ value: text, pointer }, sight);
  }
  const parts = [...text.toLowerCase().matchAll(/(\d+)\s*([dhms])[a-z]*/g)];
  const seconds = parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? 's'] ?? 0),
    0,
  );
  if (parts.length > 0) return duration(seconds);
  return sight.notes.refuse(pointer, 'NOT_THE_FORMAT', '`duration` must be a duration.');
}

function humanStep(node: TaskNode, sight: Sight): Step {
  const message = 'Forms and assignments are not imported. A person approves or rejects.';
  sight.notes.add(node.pointer, 'NOT_CARRIED', message);
  return { name: node.step, approve: { title: textIn(node.value, 'name') ?? node.ref } };
}

function setStep(node: TaskNode, sight: Sight): Step {
  const given = objectIn(node.value, 'inputParameters');
  const pointer = below(node.pointer, 'inputParameters');
  const set = writeValue({ value: given, pointer }, sight) as JsonObject;
  return Object.keys(set).length > 0
    ? { name: node.step, set }
    : { name: node.step, set: { [node.step]: true } };
}

function terminateStep(node: TaskNode, sight: Sight): Step {
  const inputs = objectIn(node.value, 'inputParameters');
  const pointer = below(node.pointer, 'inputParameters');
  const output = memberOf(inputs, 'workflowOutput');
  const status = textIn(inputs, 'terminationStatus') ?? 'COMPLETED';
  if (status === 'COMPLETED') {
    const given = output === undefined ? null : writeValue({ value: output, pointer }, sight);
    return { name: node.step, succeed: given === null ? true : { output: given } };
  }
  const reason = writeValue(
    { value: textIn(inputs, 'terminationReason') ?? node.ref, pointer },
    sight,
  );
  if (output !== undefined) {
    const message = 'A failed task has no output.';
    sight.notes.add(below(pointer, 'workflowOutput'), 'NOT_CARRIED', message);
  }
  return { name: node.step, fail: { code: codeOf(status), message: reason } };
}

/** The last step of a list that others look into: what its tasks gave, by their names. */
export function shownStep({ holder, shown }: TaskList): Step | null {
  if (shown.size === 0) return null;
  const set = Object.fromEntries(
    [...shown].map(({ step }): [string, string] => {
      const code = /^[A-Za-z_]\w*$/.test(step) ? `$steps.${step}` : `$steps.\`${step}\``;
      return [step, marked(code)];
    }),
  );
  return { name: `${holder?.step ?? 'all'}-shown-${[...shown][0]?.step ?? ''}`.slice(0, 100), set };
}
