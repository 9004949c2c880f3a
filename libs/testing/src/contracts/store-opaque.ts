import assert from 'node:assert/strict';
import type { JsonObject } from '#core';
import { assertStored, commitOf, insertAll } from './store-expectations.js';
import type { StoreRule } from './store-fixture.js';
import { nextOf, sampleTask } from './sample-task.js';

const CONTENTS: Readonly<Record<string, JsonObject>> = {
  'keys that mean something elsewhere': object(
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"$set":{"a":1},' +
      '"a.b":{"$gt":""},"_id":1,"toString":"x","hasOwnProperty":null,"then":"y","":0}',
  ),
  'the order of keys': object('{"z":1,"a":{"y":2,"b":3},"m":[{"k":1,"c":2}]}'),
  'numbers at the edge': object(
    '{"big":9007199254740991,"small":5e-324,"huge":1.7976931348623157e308,"neg":-1,"f":0.1,' +
      '"i":2147483648,"l":1763700000000.5}',
  ),
  'text at the edge': object(
    '{"nul":"a\\u0000b","lone":"\\ud800x\\udfff","lines":"\\u2028\\u2029\\r\\n","emoji":"😀",' +
      '"quote":"\\"\'\\\\","k\\u0000ey":1,"\\ud800":2}',
  ),
  'empty things': object('{"a":{},"b":[],"c":"","d":null,"e":[[],{},null]}'),
  'deep nesting': object(`{"deep":${'['.repeat(400)}${']'.repeat(400)}}`),
};

/** Rules of contents that only their owner understands: parameters and outputs. */
export function describeOpaque(rule: StoreRule): void {
  for (const [what, content] of Object.entries(CONTENTS)) {
    rule(`parameters and outputs keep ${what}`, async (store) => {
      const task = sampleTask({ parameters: content });
      await insertAll(store.tasks, [task]);
      const [first, second] = task.runs;
      const runs = [{ ...first!, normal: { ...first!.normal, output: content } }, second!];
      const next = await commitOf(store.tasks, task, nextOf(task, { runs }));
      await assertStored(store.tasks, next);
      const { tasks } = await store.reopen();
      await assertStored(tasks, next);
      const read = await tasks.get(task.plan.taskId);
      assert.equal(JSON.stringify(read?.runs[0]?.normal.output), JSON.stringify(content));
      assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
    });
  }

  rule('members that are undefined do not exist', async ({ tasks }) => {
    const task = sampleTask({ parameters: { a: undefined, b: { c: undefined }, d: 1 } });
    await insertAll(tasks, [task]);
    await assertStored(tasks, task);
  });

  rule('texts of a task may hold anything', async (store) => {
    const text = 'a\u0000b \ud800 "quoted" \u2028 __proto__ 😀';
    const task = sampleTask({ parameters: {}, requestHash: text }, { message: text });
    await insertAll(store.tasks, [task]);
    const turned = {
      at: 5,
      why: 'requested',
      message: text,
      cause: null,
      to: null,
      by: text,
    } as const;
    const parameters = { [text]: text };
    const edit = {
      at: 6,
      actor: text,
      values: parameters,
      before: parameters,
      unseenBy: [text],
      winsIn: [text],
    };
    const doneActions = [{ key: text, action: text, at: 7 }];
    const next = await commitOf(
      store.tasks,
      task,
      nextOf(task, { status: 3, turned, doneActions, edits: [edit] }),
    );
    await assertStored((await store.reopen()).tasks, next);
  });
}

function object(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}
