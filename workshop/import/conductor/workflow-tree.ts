import type { JsonObject, JsonValue } from '#core';
import type { Notes, StepNames } from '../names.js';
import { below, clip, isObject, listIn, objectIn, textIn } from '../source.js';

/** A task of a workflow and where it stands. */
export interface TaskNode {
  /** The name that references use. */
  readonly ref: string;
  /** Its step here. */
  readonly step: string;
  readonly type: string;
  readonly value: JsonObject;
  readonly pointer: string;
  readonly list: TaskList;
  /** The lists of tasks in it. */
  readonly lists: readonly TaskList[];
}

/** Tasks that follow each other. */
export interface TaskList {
  /** The task that holds it; null: the workflow. */
  readonly holder: TaskNode | null;
  /** Value of the case, or name of the branch. */
  readonly label: string;
  readonly tasks: TaskNode[];
  /** Tasks whose output is asked for from outside the list. */
  readonly shown: Set<TaskNode>;
}

/** The tasks of a workflow, which references name wherever they stand. */
export class WorkflowTree {
  readonly root: TaskList;
  readonly #byRef = new Map<string, TaskNode>();

  constructor(
    workflow: JsonObject,
    pointer: string,
    private readonly tools: { notes: Notes; names: StepNames },
  ) {
    const tasks = listIn(workflow, 'tasks');
    this.root = this.#read(tasks, below(pointer, 'tasks'), { holder: null, label: '' });
    if (this.root.tasks.length === 0) {
      tools.notes.refuse(pointer, 'NOT_THE_FORMAT', 'A workflow must be an object with `tasks`.');
    }
  }

  tasks(): readonly TaskNode[] {
    return [...this.#byRef.values()];
  }

  find(ref: string): TaskNode | undefined {
    return this.#byRef.get(ref);
  }

  /**
   * The steps through which a task reads the output of another; null: it cannot, as that of a task
   * that comes later or holds the reader, outside of a loop. A list that does not enclose the
   * reader hands on the output of its tasks at its end.
   */
  wayTo(node: TaskNode, from: Reader): readonly string[] | null {
    const around = listsAround(from);
    const way: string[] = [];
    let task = node;
    for (; !around.has(task.list); task = task.list.holder) {
      if (task.list.holder === null) return null;
      way.unshift(task.step);
      if (task.list.holder.type === 'FORK_JOIN') way.unshift(task.list.label);
    }
    const reader = around.get(task.list) ?? null;
    const { holder, tasks } = task.list;
    // A round of a loop also sees what the round before it gave.
    const isLoop = holder?.type === 'DO_WHILE';
    const isBefore = isLoop || reader === null || tasks.indexOf(task) < tasks.indexOf(reader);
    if (!isBefore) return null;
    if (task !== node && !HOLDERS.has(node.type)) node.list.shown.add(node);
    return [task.step, ...way];
  }

  #read(
    tasks: readonly JsonValue[],
    pointer: string,
    place: Pick<TaskList, 'holder' | 'label'>,
  ): TaskList {
    const list: TaskList = { ...place, tasks: [], shown: new Set() };
    for (const [n, value] of tasks.entries()) {
      const at = below(pointer, n);
      if (!isObject(value))
        return this.tools.notes.refuse(at, 'NOT_THE_FORMAT', 'A task must be an object.');
      list.tasks.push(this.#task(value, at, list));
    }
    return list;
  }

  #task(value: JsonObject, pointer: string, list: TaskList): TaskNode {
    const { names, notes } = this.tools;
    const type = textIn(value, 'type') ?? 'SIMPLE';
    const ref = textIn(value, 'taskReferenceName') ?? textIn(value, 'name') ?? type;
    if (this.#byRef.has(ref)) {
      const message = `Two tasks have the reference name \`${clip(ref)}\`.`;
      notes.refuse(pointer, 'NOT_THE_FORMAT', message);
    }
    const lists: TaskList[] = [];
    const step = names.take(ref, below(pointer, 'taskReferenceName'));
    const node: TaskNode = { ref, step, type, value, pointer, list, lists };
    this.#byRef.set(ref, node);
    for (const [label, tasks, at] of innerLists(value, type, pointer)) {
      lists.push(this.#read(tasks, at, { holder: node, label }));
    }
    return node;
  }
}

/** From where an output is read. */
export interface Reader {
  readonly list: TaskList;
  /** The task of the list that reads; null: the list has ended. */
  readonly task: TaskNode | null;
}

/** The loop in whose round a reader is; undefined: it is in none. */
export function loopAround(from: Reader): TaskNode | undefined {
  const lists = [...listsAround(from).keys()];
  return lists.find(({ holder }) => holder?.type === 'DO_WHILE')?.holder ?? undefined;
}

/** The lists that a reader is in, the innermost first, with the task of each that it is in. */
function listsAround({ list, task }: Reader): ReadonlyMap<TaskList, TaskNode | null> {
  const around = new Map<TaskList, TaskNode | null>([[list, task]]);
  for (let { holder } = list; holder !== null; { holder } = holder.list) {
    around.set(holder.list, holder);
  }
  return around;
}

/** Types whose steps hold steps. */
const HOLDERS: ReadonlySet<string> = new Set(['SWITCH', 'DECISION', 'FORK_JOIN', 'DO_WHILE']);

type Inner = readonly [label: string, tasks: readonly JsonValue[], pointer: string];

function innerLists(value: JsonObject, type: string, pointer: string): readonly Inner[] {
  switch (type) {
    case 'SWITCH':
    case 'DECISION': {
      const cases = objectIn(value, 'decisionCases');
      const at = below(pointer, 'decisionCases');
      return [
        ...Object.keys(cases).map((name): Inner => [name, listIn(cases, name), below(at, name)]),
        ['', listIn(value, 'defaultCase'), below(pointer, 'defaultCase')],
      ];
    }
    case 'FORK_JOIN': {
      const at = below(pointer, 'forkTasks');
      return listIn(value, 'forkTasks').flatMap((branch, n): Inner[] => {
        return Array.isArray(branch)
          ? [[`branch-${n + 1}`, branch as JsonValue[], below(at, n)]]
          : [];
      });
    }
    case 'DO_WHILE':
      return [['', listIn(value, 'loopOver'), below(pointer, 'loopOver')]];
    default:
      return [];
  }
}
