import type { JsonValue } from '#core';
import { at, checked, constant, literal, pathOf, type Segment, unwritten } from '../code.js';
import type { Notes } from '../names.js';
import { below, clip, isObject, memberOf, objectOf, type Placed } from '../source.js';
import { loopAround, type Reader, type TaskNode, type WorkflowTree } from './workflow-tree.js';

/** Where a reference stands. */
export interface Sight extends Reader {
  readonly tree: WorkflowTree;
  readonly notes: Notes;
  /** Module of commands that the source names without one. */
  readonly module: string;
}

/** A value whose texts may have `${...}` in them, as a flow has it. */
export function writeValue({ pointer, value }: Placed, sight: Sight): JsonValue {
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    return items.map((item, n) => writeValue({ value: item, pointer: below(pointer, n) }, sight));
  }
  if (isObject(value)) {
    return objectOf(
      Object.entries(value).map(([name, inner]): [string, JsonValue] => {
        return [name, writeValue({ value: inner, pointer: below(pointer, name) }, sight)];
      }),
    );
  }
  if (typeof value !== 'string') return value ?? null;
  if (!value.includes('${')) return constant(value);
  return checked(codeOfText(value, sight, pointer), { notes: sight.notes, pointer });
}

/** JSONata for a value whose texts may have `${...}` in them. */
export function codeOfValue({ pointer, value }: Placed, sight: Sight): string {
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    const codes = items.map((item, n) => {
      return codeOfValue({ value: item, pointer: below(pointer, n) }, sight);
    });
    return `[${codes.join(', ')}]`;
  }
  if (isObject(value)) {
    const codes = Object.entries(value).map(([name, inner]) => {
      return `${literal(name)}: ${codeOfValue({ value: inner, pointer: below(pointer, name) }, sight)}`;
    });
    return `{${codes.join(', ')}}`;
  }
  if (typeof value !== 'string' || !value.includes('${')) return literal(value ?? null);
  return codeOfText(value, sight, pointer);
}

function codeOfText(text: string, sight: Sight, pointer: string): string {
  const parts = text.split(/(\$\{[^{}]*\})/).filter((part) => part !== '');
  const codes = parts.map((part) => {
    const inner = /^\$\{([^{}]*)\}$/.exec(part)?.[1];
    return inner === undefined ? literal(part) : codeOfReference(inner.trim(), sight, pointer);
  });
  return codes.join(' & ');
}

/** JSONata for what stands between the braces of `${...}`. */
function codeOfReference(text: string, sight: Sight, pointer: string): string {
  const dot = text.search(/[.[]/);
  const first = dot < 0 ? text : text.slice(0, dot);
  const path = pathOf(`$${dot < 0 ? '' : text.slice(dot)}`);
  const code = path === null ? null : first === 'workflow' ? ofWorkflow(path, sight) : null;
  if (code !== null) return code;
  const node = sight.tree.find(first);
  const found = node === undefined || path === null ? null : ofTask(node, path, sight);
  if (found !== null) return found;
  const message = `\`\${${clip(text)}}\` could not be translated. Write it as JSONata.`;
  sight.notes.add(pointer, 'EXPRESSION_NOT_CARRIED', message);
  return unwritten(`\${${text}}`);
}

function ofWorkflow([what, ...rest]: readonly Segment[], sight: Sight): string | null {
  switch (what) {
    case 'input':
      return at('$input', rest);
    case 'workflowId':
      return '$task.id';
    case 'workflowType':
      return '$task.flow';
    case 'variables':
      return ofVariable(rest, sight);
    case 'env':
      return at('$env', rest);
    default:
      return null;
  }
}

/** A variable: what the only task that sets it gave; of several nobody knows which was last. */
function ofVariable([name, ...rest]: readonly Segment[], sight: Sight): string | null {
  const writers = sight.tree.tasks().filter((node) => {
    return (
      node.type === 'SET_VARIABLE' &&
      memberOf(node.value['inputParameters'], String(name)) !== undefined
    );
  });
  const [writer, ...others] = writers;
  if (writer === undefined || others.length > 0 || typeof name !== 'string') return null;
  const way = sight.tree.wayTo(writer, sight);
  return way === null ? null : at('$steps', [...way, name, ...rest]);
}

/** The output of a task. A join gives the outputs of the tasks it waits for, by their names. */
export function ofTask(
  node: TaskNode,
  [what, ...rest]: readonly Segment[],
  sight: Sight,
): string | null {
  const { tree } = sight;
  if (what !== 'output') return null;
  // In its own rounds a loop has no output yet, and the number of the round is known.
  if (node === loopAround(sight) && rest.length === 1 && rest[0] === 'iteration') {
    return '($index + 1)';
  }
  if (node.type === 'JOIN') {
    const [ref, ...inner] = rest;
    const joined = typeof ref === 'string' ? tree.find(ref) : undefined;
    return joined === undefined ? null : ofTask(joined, ['output', ...inner], sight);
  }
  const way = tree.wayTo(node, sight);
  if (way === null) return null;
  const path = ourPath(node.type, rest);
  return path === null ? null : at('$steps', [...way, ...path]);
}

/** Where what a task of some type gives lies here. */
function ourPath(type: string, path: readonly Segment[]): readonly Segment[] | null {
  const [first, second, ...rest] = path;
  switch (type) {
    case 'HTTP': {
      if (first !== 'response') return null;
      const ours = { body: 'body', headers: 'headers', statusCode: 'status' }[String(second)];
      return ours === undefined ? null : [ours, ...rest];
    }
    case 'DO_WHILE':
      return first === 'iteration' ? ['rounds'] : null;
    case 'SUB_WORKFLOW':
      return first === 'subWorkflowId' ? ['taskId'] : ['output', ...path];
    case 'SWITCH':
    case 'DECISION':
    case 'FORK_JOIN':
    case 'FORK_JOIN_DYNAMIC':
    case 'TERMINATE':
      return null;
    default:
      return path;
  }
}
