import { describe, expect, it } from '@jest/globals';
import type { Answer, JsonValue, Question } from '#core';
import { ManualClock, PlainEvaluator } from '#testing';
import { FlowChecker } from './checking/flow-checker.js';
import { parseFlow, readSteps, StepReadingEvaluator } from './parse-flow.js';
import { parseFlowFile } from './parse-flow-file.js';

const STEPS = '[{"normal": {"module": "m", "command": "c"}}]';

describe('the text of one flow', () => {
  it.each([STEPS, `{"steps": ${STEPS}}`, `// a chain\n${STEPS} // done`, `\uFEFF${STEPS}`])(
    'means what it means in a file: %j',
    (text) => {
      const [inFile] = parseFlowFile(`{"a": ${STEPS}}`).flows;
      const reading = parseFlow('a', text);
      expect(reading).toMatchObject({
        kind: 'sound',
        flow: { definition: inFile?.definition, hash: inFile?.hash },
      });
    },
  );

  it('has problems with places of its own', () => {
    expect(parseFlow('a', '{\n  "stepz": [],\n  "steps": [{}]\n}')).toMatchObject({
      kind: 'unsound',
      problems: [
        { code: 'UNKNOWN_MEMBER', pointer: '/stepz', line: 2, column: 3 },
        { code: 'MISSING_MEMBER', pointer: '/steps/0', line: 3, column: 13 },
      ],
    });
  });

  it('has warnings with places of its own', () => {
    expect(parseFlow('a', STEPS)).toMatchObject({
      flow: { warnings: [{ code: 'NO_INPUT', pointer: '', line: 1, column: 1 }] },
    });
  });

  it.each(['', '{', '3', 'null', '[]', `${STEPS}, "b": ${STEPS}`, `${STEPS}}, {`, '// nothing'])(
    'is unsound: %j',
    (text) => {
      const reading = parseFlow('a', text);
      expect(reading.kind).toBe('unsound');
      expect(reading).toMatchObject({ problems: [{ line: 1 }] });
    },
  );
});

const RUN = { normal: { module: 'm', command: 'c' } };

function questionOf(steps: JsonValue, states: Record<string, string> = {}): Question {
  const task = { id: 't', flow: 'f', version: 1, labels: {}, createdAt: 0 };
  const seen = { parameters: { steps }, input: {}, steps: {}, states, task, index: null, now: 0 };
  return { members: [{ name: 'steps', template: '{% steps %}', as: 'steps' }], scene: seen };
}

const COMMANDS = { modules: () => ['m'], commands: () => ['c'] };

function answerTo(question: Question): Promise<Answer> {
  const read = async (...made: Parameters<typeof readSteps>) => readSteps(...made);
  const served = () => Promise.resolve({ commands: COMMANDS });
  return new StepReadingEvaluator(new PlainEvaluator(), read, served).answer(question);
}

async function faultOf(question: Question): Promise<string> {
  const answer = await answerTo(question);
  if ('values' in answer) throw new Error('the steps are sound');
  expect(answer.fault).toMatchObject({ code: 'INVALID_STEPS', member: 'steps', position: null });
  return answer.fault.reason;
}

describe('steps that an expression comes to', () => {
  it('are the plan of each, as a file would have it', async () => {
    const answer = await answerTo(questionOf([RUN, { set: { a: '{% 1 %}' } }]));
    const { values } = answer as Extract<Answer, { values: unknown }>;
    expect(values['steps']).toMatchObject([
      { name: 'c', needs: [], normal: { module: 'm', timeoutMs: 300_000 }, rollback: null },
      { name: 'set', needs: [0], set: { a: '{% 1 %}' } },
    ]);
  });

  it('may be none, whatever is served', async () => {
    const { values } = (await answerTo(questionOf([]))) as Extract<Answer, { values: unknown }>;
    expect(values['steps']).toEqual([]);
  });

  it.each<readonly [JsonValue, string]>([
    [[{ group: [] }], '/0/group: .* [NO_STEPS]'],
    [3, '[WRONG_TYPE]'],
    [[{ normal: { module: 'm' } }], '/0/normal: `normal` lacks `command`. .* [MISSING_MEMBER]'],
    [[RUN, { ...RUN, needs: ['x'] }], '/1/needs/0: .* [UNKNOWN_STEP]'],
    [[{ normal: { module: 'n', command: 'c' } }], '/0/normal/module: .* [UNKNOWN_MODULE]'],
    [[{ normal: { module: 'm', command: 'd' } }], '/0/normal/command: .* [UNKNOWN_COMMAND]'],
    [[{ set: { a: '{% 1 + %}' } }], '/0/set/a: .* [WRONG_EXPRESSION]'],
    [[{ set: { a: '{% $steps.gone %}' } }], '/0/set/a: .* [STEP_NOT_BEFORE]'],
    [Array.from({ length: 1_001 }, () => RUN), '[TOO_MANY_STEPS]'],
  ])('are refused like a file: %#', async (steps, words) => {
    const pattern = words.replaceAll(/[[\]]/g, String.raw`\$&`);
    expect(await faultOf(questionOf(steps))).toMatch(new RegExp(pattern));
  });

  it('are told all faults of, the first twenty in words', async () => {
    const bad = Array.from({ length: 23 }, () => ({ normal: { module: 'm', command: 'x' } }));
    const reason = await faultOf(questionOf(bad));
    expect(reason.match(/UNKNOWN_COMMAND/g)).toHaveLength(20);
    expect(reason).toContain('And 3 more.');
  });

  it('are told two names that are one beside what is wrong with their form', async () => {
    const twice = [{ name: 'a', ...RUN }, { name: 'a', set: {} }, { foo: 1 }];
    const reason = await faultOf(questionOf([...twice, { group: twice.slice(0, 2) }]));
    expect(reason).toContain('/1/name: Another step of this flow is called `a` already.');
    expect(reason).toContain('/3/group/1/name: Another step of this group is called `a` already.');
    expect(reason).toMatch(/\/1\/set: .*\/2: /);
  });

  it('may name steps in the lists around, and flows that nobody knows', async () => {
    const steps = [{ set: { a: '{% $steps.before.x %}' } }, { flow: { name: 'steps' } }];
    expect(await answerTo(questionOf(steps, { before: 'succeeded' }))).toHaveProperty('values');
  });

  it('are checked by the worker as well', async () => {
    const checker = new FlowChecker({ clock: new ManualClock() });
    const known = { commands: COMMANDS, around: ['before'] };
    const sound = [RUN, { set: { a: '{% $steps.before %}' } }];
    for (const asker of [{ flow: 'f' }, { flow: 'f', draft: new AbortController().signal }]) {
      expect(await checker.readSteps(sound, known, asker)).toEqual(readSteps(sound, known));
      const unsound = await checker.readSteps([{}], known, asker);
      expect(unsound).toMatchObject({ kind: 'unsound' });
    }
    await checker.stop();
  });
});
