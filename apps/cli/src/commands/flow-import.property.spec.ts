import { expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import type { JsonValue } from '#core';
import { validateFlowText } from '#flow-files';
import { importFlow } from '#workshop/import';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../../test/fuzz/budget.js';

jest.setTimeout(FUZZ_TIMEOUT_MS);

type Task = Record<string, unknown>;

const REFS = 12;
const ref = fc.nat(REFS - 1).map((n) => `t${n}`);
const path = fc.constantFrom(
  ...['output.iteration', 'output.x', 'output', "output['iteration']", 'output.t1.x', 'input.y'],
);
const reference = fc.tuple(ref, path).map(([name, rest]) => `\${${name}.${rest}}`);
const condition = fc.oneof(
  ref.map((name) => `$.${name}.output.x != 'done'`),
  ref.map((name) => `if ($.${name}['iteration'] < $.count) { true; } else { false; }`),
  fc.constant('$.count < 3'),
);

/** Tasks without names: each gets the next one, so that references find some of them. */
const { tasks } = fc.letrec<{ task: Task; tasks: Task[] }>((tie) => ({
  tasks: fc.array(tie('task'), { minLength: 1, maxLength: 3, depthIdentifier: 'tasks' }),
  task: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'tasks' },
    fc.record({
      type: fc.constantFrom('SIMPLE', 'HTTP'),
      inputParameters: fc.record({ a: reference }),
    }),
    fc.record({
      type: fc.constant('DO_WHILE'),
      inputParameters: fc.record({ count: fc.oneof(reference, fc.constant('3')) }),
      loopCondition: condition,
      loopOver: tie('tasks'),
    }),
    fc.record({
      type: fc.constant('SWITCH'),
      evaluatorType: fc.constant('value-param'),
      expression: fc.constant('s'),
      inputParameters: fc.record({ s: reference }),
      decisionCases: fc.record({ one: tie('tasks') }),
      defaultCase: tie('tasks'),
    }),
    fc.record({ type: fc.constant('FORK_JOIN'), forkTasks: fc.tuple(tie('tasks'), tie('tasks')) }),
    fc.record({ type: fc.constant('SET_VARIABLE'), inputParameters: fc.record({ v: reference }) }),
  ),
}));

function named(list: readonly Task[], next: { n: number }): Task[] {
  return list.map((task) => {
    const taskReferenceName = `t${next.n++}`;
    const inner = Object.entries(task).map(([name, value]) => [name, namedIn(name, value, next)]);
    return { name: taskReferenceName, taskReferenceName, ...Object.fromEntries(inner) };
  });
}

function namedIn(name: string, value: unknown, next: { n: number }): unknown {
  if (name === 'loopOver' || name === 'defaultCase') return named(value as Task[], next);
  if (name === 'decisionCases') return { one: named((value as { one: Task[] }).one, next) };
  if (name === 'forkTasks') return (value as Task[][]).map((branch) => named(branch, next));
  return value;
}

it('an import carries references only where the output is there when they are evaluated', () => {
  fc.assert(
    fc.property(tasks, fc.array(reference, { maxLength: 2 }), (list, shown) => {
      const outputParameters = Object.fromEntries(shown.map((text, n) => [`o${n}`, text]));
      const definition = { name: 'w', tasks: named(list, { n: 0 }), outputParameters };
      const made = importFlow({
        ...{ from: 'conductor', name: 'w', module: 'lab' },
        definition: definition as unknown as JsonValue,
      });
      const { problems } = validateFlowText(JSON.stringify(made.flow));
      expect(problems).toEqual([]);
    }),
    fuzzBudget(400),
  );
});
