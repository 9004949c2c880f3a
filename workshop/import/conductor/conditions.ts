import { at, checked, enclosed, type Segment, unwritten } from '../code.js';
import { below, clip, memberOf, objectIn, textIn } from '../source.js';
import { codeOfValue, ofTask, type Sight } from './references.js';
import { readScript } from './script.js';
import type { TaskNode } from './workflow-tree.js';

/** JSONata for the value by which a switch chooses its case; a note where it cannot be said. */
export function caseCode(node: TaskNode, sight: Sight): string {
  const { value } = node;
  const parameter = textIn(value, 'caseValueParam');
  const script = textIn(value, 'caseExpression');
  const expression = textIn(value, 'expression') ?? script ?? '';
  const isParameter = parameter !== undefined || textIn(value, 'evaluatorType') === 'value-param';
  if (isParameter) return inputCode(node, [parameter ?? expression], sight) ?? '""';
  return scriptCode(node, expression, { sight, read: (path) => inputCode(node, path, sight) });
}

/** Whether another round follows. In the script tasks of the loop are known by their names. */
export function loopCondition(node: TaskNode, sight: Sight): string {
  const inner = node.lists[0] ?? node.list;
  const within: Sight = { ...sight, list: inner, task: null };
  const read = (path: readonly Segment[]): string | null => {
    const [ref, ...rest] = path;
    const task = typeof ref === 'string' ? sight.tree.find(ref) : undefined;
    if (task === undefined) return inputCode(node, path, within);
    // Other engines write `$.task.output.member` for what Conductor calls `$.task['member']`.
    const output = rest[0] === 'output' && rest.length > 1 ? rest : ['output', ...rest];
    return ofTask(task, output, within);
  };
  const script = textIn(node.value, 'loopCondition') ?? '';
  return checked(scriptCode(node, script, { sight, read }), {
    notes: sight.notes,
    pointer: below(node.pointer, 'loopCondition'),
  });
}

/** The code for `$.name` in a script, which names an input parameter of the task. */
function inputCode(node: TaskNode, path: readonly Segment[], sight: Sight): string | null {
  const [name, ...rest] = path;
  const inputs = objectIn(node.value, 'inputParameters');
  const value = memberOf(inputs, String(name));
  if (value === undefined) return null;
  const pointer = below(below(node.pointer, 'inputParameters'), String(name));
  const code = codeOfValue({ value, pointer }, sight);
  return at(enclosed(code), rest);
}

interface Reading {
  readonly sight: Sight;
  readonly read: (path: readonly Segment[]) => string | null;
}

function scriptCode({ pointer }: TaskNode, script: string, { read, sight }: Reading): string {
  const code = readScript(script, read);
  if (code !== null) return code;
  const message = `The script \`${clip(script)}\` could not be translated. Write it as JSONata.`;
  sight.notes.add(pointer, 'EXPRESSION_NOT_CARRIED', message);
  return unwritten(script);
}
