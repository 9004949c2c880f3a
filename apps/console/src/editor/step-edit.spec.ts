import { describe, expect, it } from '@jest/globals';
import { parse } from 'jsonc-parser';
import {
  addStep,
  changeStep,
  moveStep,
  readSteps,
  removeStep,
  sayNeeds,
  type StepChange,
  stepsPath,
} from './step-edit.js';

const lab = (command: string) => ({ module: 'lab', command });
const NEW: StepChange = { name: 'new', normal: lab('sleep'), rollback: null };

const CHAIN = `{
    // The flow.
    "steps": [ // In this order.
        // Takes the host.
        { "name": "take", "normal": { "module": "lab", "command": "succeed" } }, // At first.

        // Everything below can wait.

        /* Gives it back. */
        {
            "name": "give", // By hand.
            "normal": { "module": "lab", "command": "succeed" }
        } // At last.
        // The end.
    ]
}
`;

const GRAPH = `[
  { "name": "a", "normal": { "module": "lab", "command": "succeed" } },
  { "name": "b", "needs": ["a"], "normal": { "module": "lab", "command": "succeed" } },
  { "name": "c", "needs": ["b", "a"], "normal": { "module": "lab", "command": "succeed" } },
]
`;

describe('a step that is added', () => {
  it('stands behind another one, in the style of the list, and leaves comments where they are', () => {
    const text = addStep(CHAIN, ['steps', 0], NEW);
    expect(text).toBe(
      CHAIN.replace(
        '// At first.\n',
        '// At first.\n' +
          '        { "name": "new", "normal": { "module": "lab", "command": "sleep" }, "rollback": null },\n',
      ),
    );
  });

  it('stands last before the comments of the end', () => {
    expect(addStep(CHAIN, ['steps', 1], { ...NEW, parameters: { ms: 5 } })).toBe(
      CHAIN.replace(
        '        } // At last.\n',
        `        }, // At last.
        {
            "name": "new",
            "normal": { "module": "lab", "command": "sleep", "parameters": { "ms": 5 } },
            "rollback": null
        }
`,
      ),
    );
  });

  it('stands first', () => {
    const steps = parse(addStep(CHAIN, ['steps', -1], NEW)) as { steps: { name: string }[] };
    expect(steps.steps.map(({ name }) => name)).toEqual(['new', 'take', 'give']);
  });

  it('needs the one before it in a graph', () => {
    const text = addStep(GRAPH, [2], NEW);
    const needy =
      '{ "name": "new", "needs": ["c"], "normal": { "module": "lab", "command": "sleep" }';
    expect(text).toBe(GRAPH.replace(/\n\]/, `\n  ${needy}, "rollback": null },\n]`));
  });

  it.each(['{}', '{ "steps": [] }', '{\r\n\t"steps": [ // none yet\r\n\t]\r\n}', '[]'])(
    'is the first of %j',
    (text) => {
      const written = addStep(text, [...stepsPath(text), -1], NEW);
      const flow = parse(written) as { steps?: object[] } | object[];
      expect(Array.isArray(flow) ? flow : flow.steps).toEqual([
        { name: 'new', normal: lab('sleep'), rollback: null },
      ]);
      expect(written.includes('none yet')).toBe(text.includes('none yet'));
      if (text.includes('\r')) expect(written).not.toMatch(/[^\r]\n/);
    },
  );

  it('leaves other steps the names that they have by their places', () => {
    const text = '[{ "normal": { "command": "s" } }, { "normal": { "command": "s" } }]';
    expect(parse(removeStep(text, [0]))).toEqual([{ name: 's-2', normal: { command: 's' } }]);
  });
});

describe('a step that is taken away', () => {
  it('takes its comments along, and no other ones', () => {
    const text = removeStep(CHAIN, ['steps', 1]);
    for (const kept of ['The flow.', 'In this', 'Takes', 'At first', 'Everything', 'The end']) {
      expect(text).toContain(kept);
    }
    for (const gone of ['Gives it', 'By hand', 'At last']) expect(text).not.toContain(gone);
    expect(text).toContain('"succeed" } } // At first.');
  });

  it('hands on what it needed', () => {
    expect(parse(removeStep(GRAPH, [1]), [], { allowTrailingComma: true })).toEqual([
      { name: 'a', normal: lab('succeed') },
      { name: 'c', needs: ['a'], normal: lab('succeed') },
    ]);
  });

  it('leaves side by side what stood so', () => {
    const text = '[{ "name": "a", "needs": [] }, { "name": "b" }, { "name": "c" }]';
    expect(parse(removeStep(text, [0]))).toEqual([{ name: 'b', needs: [] }, { name: 'c' }]);
  });
});

it('moves a step with its comments, and back again', () => {
  const moved = moveStep(CHAIN, ['steps', 0], 1);
  expect(moved.indexOf('Gives it back')).toBeLessThan(moved.indexOf('Takes the host'));
  expect(moved).toContain('"succeed" } } // At first.');
  expect(parse(moved)).toMatchObject({ steps: [{ name: 'give' }, { name: 'take' }] });
  expect(moveStep(moved, ['steps', 1], -1)).toBe(CHAIN);
});

it('has a chain say its needs', () => {
  expect(parse(sayNeeds(CHAIN, ['steps']))).toMatchObject({
    steps: [
      { name: 'take', needs: [] },
      { name: 'give', needs: ['take'] },
    ],
  });
});

describe('a step that is changed', () => {
  it('is needed by its new name', () => {
    const text = changeStep(GRAPH, [0], { name: 'z', normal: lab('sleep') });
    expect(text).toBe(
      GRAPH.replace('"name": "a"', '"name": "z"')
        .replace('succeed', 'sleep')
        .replace('["a"]', '["z"]')
        .replace('["b", "a"]', '["b", "z"]'),
    );
  });

  it('keeps what the form does not have', () => {
    const text = '[{ "normal": { "module": "lab", "command": "s", "retry": 3 /* often */ } }]';
    const change = { name: 's', normal: lab('s'), rollback: lab('u'), parameters: { a: 1 } };
    expect(changeStep(text, [0], change)).toBe(
      '[{ "normal": { "module": "lab", "command": "s", "retry": 3, /* often */ ' +
        '"parameters": { "a": 1 } }, "rollback": { "module": "lab", "command": "u" } }]',
    );
  });

  it('loses a parameter, an undo, and the last parameter with what held it', () => {
    const action = '{ "module": "lab", "command": "s", "parameters": { "a": 1, "b": 2 } }';
    const text = `[{ "name": "s", "normal": ${action}, "rollback": null }]`;
    const one = changeStep(text, [0], {
      name: 's',
      rollback: undefined,
      parameters: { a: undefined },
    });
    const normal = { ...lab('s'), parameters: { b: 2 } };
    expect(parse(one)).toEqual([{ name: 's', normal }]);
    const none = changeStep(one, [0], { name: 's', parameters: { b: undefined } });
    expect(parse(none)).toEqual([{ name: 's', normal: lab('s') }]);
  });

  it('stays as it is where nothing is changed', () => {
    const change = { name: 'give', normal: lab('succeed'), parameters: { gone: undefined } };
    expect(changeStep(CHAIN, ['steps', 1], change)).toBe(CHAIN);
  });
});

it('reads the steps of a list that another step holds', () => {
  const text = '{ "steps": [{ "name": "all", "group": [{ "name": "in" }, { "name": "out" }] }] }';
  expect(readSteps(text, ['steps', 0, 'group'])).toEqual([{ name: 'in' }, { name: 'out' }]);
  expect(readSteps(text, ['steps', 1, 'group'])).toEqual([]);
});
