import { describe, expect, it } from '@jest/globals';
import { actPastGate, changePastGate } from './act-rules.js';
import { parse, readSourceTree } from './source-tree.js';

describe('actions on tasks', () => {
  it('pass one gate', () => {
    expect(readSourceTree().flatMap(actPastGate)).toEqual([]);
  });

  it.each([
    'await this.options.engine.operate(taskId, event);',
    'const result = engine.foresee(taskId, event);',
    "engine['operate'](taskId, event);",
    'const { operate } = this.options.engine;',
    'const { foresee: tryOut } = engine;',
    'const act = engine.operate.bind(engine);',
    'const body = requestAnew(task, parameters);',
  ])('are seen in `%s`', (text) => {
    expect(actPastGate(parse('apps/oss/src/tasks/a.ts', text))).toHaveLength(1);
    expect(actPastGate(parse('apps/oss/src/access/may-act.ts', text))).toEqual([]);
    expect(actPastGate(parse('libs/engine/src/a.ts', text))).toEqual([]);
  });

  it.each(['this.acts.operate(act);', 'engine.submit(flow, request);'])(
    'are not seen in `%s`',
    (text) => {
      expect(actPastGate(parse('apps/oss/src/tasks/a.ts', text))).toEqual([]);
    },
  );
});

describe('changes of records', () => {
  it('pass one gate', () => {
    expect(readSourceTree().flatMap(changePastGate)).toEqual([]);
  });

  it.each([
    'await options.definitions.putFlow(put);',
    "await this.options.drills.put(record, 'any');",
    'if (await schedules.put(next, before)) return;',
    'await parts.notifications.remove(name, before);',
  ])('are seen in `%s`', (text) => {
    const asked = `expectMayChange(principal, record);\n${text}`;
    expect(changePastGate(parse('apps/oss/src/tasks/a.ts', text))).toHaveLength(1);
    expect(changePastGate(parse('apps/oss/src/tasks/a.ts', asked))).toEqual([]);
  });
});
