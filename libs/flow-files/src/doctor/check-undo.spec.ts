import { describe, expect, it } from '@jest/globals';
import { validateFlowText } from '../parse-flow-file.js';
import type { ProblemCode } from '../problem.js';

const ON = '"set": { "on": 1 }';
const RUN = '"normal": { "module": "m", "command": "check" }';
const FAIL = '"fail": { "code": "A", "message": "" }';
const END = '"succeed": true';

function flow(steps: string, members = ''): string {
  return `{ "f": { "input": { "properties": { "size": {} } }, ${members} "steps": [${steps}] } }`;
}

/** The places below the steps at which this is found. */
function placesOf(code: ProblemCode, text: string): readonly string[] {
  const { problems, warnings } = validateFlowText(text);
  expect(problems).toEqual([]);
  const found = warnings.filter((warning) => warning.code === code);
  return found.map(({ pointer }) => pointer.replace('/f/steps/', ''));
}

function choice(cases: readonly string[], otherwise?: string): string {
  const all = cases.map((when) => `{ "when": ${when}, "steps": [{ ${ON} }] }`);
  const last = otherwise === undefined ? '' : `, "otherwise": [{ ${otherwise} }]`;
  return `{ "choice": [${all.join()}]${last} }`;
}

function loop(members: string, body = ON): string {
  return `{ "loop": { "steps": [{ ${body} }], "max": 3, ${members} } }`;
}

function failing(...clauses: string[]): string {
  const all = clauses.map((steps) => `{ "errors": ["A"], "steps": [{ ${steps} }] }`);
  return `{ ${FAIL}, "catch": [${all.join()}] }`;
}

const COMPUTED = '"{% size > 1 %}"';

describe('a step is never reached', () => {
  it.each<[string, readonly string[]]>([
    [choice([COMPUTED, 'true', 'true'], ON), ['0/choice/2/steps/0', '0/otherwise/0']],
    [choice(['false', COMPUTED], ON), ['0/choice/0/steps/0']],
    [`{ "if": false, ${ON} }, { ${RUN} }`, ['0']],
    [`${loop('"while": true')}, { ${RUN} }`, ['1']],
    [`${loop('"until": false')}, { ${RUN} }`, ['1']],
    [`${failing(FAIL)}, { ${RUN} }`, ['1']],
    [`${failing(END)}, { ${RUN} }`, ['1']],
    [
      `{ "group": [{ ${FAIL} }], "catch": [{ "errors": ["*"], "steps": [{ ${FAIL} }] }] }, { ${RUN} }`,
      ['1'],
    ],
    [`${choice(['true']).replace(ON, END)}, { ${RUN} }`, ['1']],
    [`${choice(['false', 'true']).replaceAll(ON, FAIL)}, { ${RUN} }`, ['0/choice/0/steps/0', '1']],
  ])('in %s', (steps, places) => {
    expect(placesOf('UNREACHABLE_STEP', flow(steps)).toSorted()).toEqual(places);
  });

  it.each([
    choice([COMPUTED, 'true']),
    choice([COMPUTED, COMPUTED], ON),
    `{ "if": true, ${ON} }, { ${RUN} }`,
    `${loop(`"while": ${COMPUTED}`)}, { ${RUN} }`,
    `${loop('"while": false')}, { ${RUN} }`,
    `${loop('"until": true')}, { ${RUN} }`,
    `${loop('"while": true').replace('{ "loop"', '{ "optional": true, "loop"')}, { ${RUN} }`,
    `${loop('"while": true').replace('{ "loop"', `{ "catch": [{ "errors": ["LOOP_LIMIT"], "steps": [{ ${ON} }] }], "loop"`)}, { ${RUN} }`,
    `${failing(ON)}, { ${RUN} }`,
    `{ ${RUN}, "catch": [{ "errors": ["*"], "steps": [{ ${FAIL} }] }] }, { ${RUN} }`,
    `{ "fail": { "code": "A", "message": "{% size %}" }, "catch": [{ "errors": ["EXPRESSION_FAILED"], "steps": [{ ${ON} }] }] }, { ${RUN} }`,
  ])('not in %s', (steps) => {
    expect(placesOf('UNREACHABLE_STEP', flow(steps))).toEqual([]);
  });
});

describe('a point of no return beside other steps', () => {
  const fork = (branch: string): string => {
    return `{ "parallel": { "a": [{ ${ON}, "pivot": true }], "b": [{ ${branch} }] } }`;
  };
  const graph = (needs: string): string => {
    return `{ ${ON}, "name": "p", "pivot": true, "needs": ${needs} }, { ${RUN}, "name": "r", "needs": [] }`;
  };

  it.each([
    [fork(RUN), '0/parallel/a/0/pivot'],
    [fork(`"group": [{ ${RUN} }]`), '0/parallel/a/0/pivot'],
    [graph('[]'), '0/pivot'],
  ])('may be passed when one of them fails: %s', (steps, place) => {
    expect(placesOf('PIVOT_WITHOUT_HOLD', flow(steps))).toEqual([place]);
    expect(placesOf('PIVOT_WITHOUT_HOLD', flow(steps, '"onFailure": "hold",'))).toEqual([]);
  });

  it.each([fork(ON), fork(`${RUN}, "optional": true`), graph('["r"]')])('is not in %s', (steps) => {
    expect(placesOf('PIVOT_WITHOUT_HOLD', flow(steps))).toEqual([]);
  });
});

describe('a point of no return in a loop', () => {
  const pivot = `${ON}, "pivot": true`;
  const until = `"until": ${COMPUTED}`;
  const inGroup = loop(until, `"group": [{ ${pivot} }]`);
  const behind = `{ "loop": { "steps": [{ ${RUN} }, { ${pivot} }], "max": 3, "while": true } }`;

  it.each([
    [loop(until, pivot), '0/loop/steps/0/pivot'],
    [loop('"while": true', pivot), '0/loop/steps/0/pivot'],
    [inGroup, '0/loop/steps/0/group/0/pivot'],
    [behind, '0/loop/steps/1/pivot'],
  ])('may be followed by a failure: %s', (steps, place) => {
    expect(placesOf('PIVOT_WITHOUT_HOLD', flow(steps))).toEqual([place]);
    expect(placesOf('PIVOT_WITHOUT_HOLD', flow(steps, '"onFailure": "hold",'))).toEqual([]);
  });

  it.each(['"until": true', '"while": false'])('is not where there is one round: %s', (once) => {
    expect(placesOf('PIVOT_WITHOUT_HOLD', flow(loop(once, pivot)))).toEqual([]);
  });
});
