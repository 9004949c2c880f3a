import { expect, it } from '@jest/globals';
import { validateFlowText } from '../parse-flow-file.js';

const ON = '"set": { "on": 1 }';
const RUN = '"normal": { "module": "m", "command": "check" }';
const FAILS = '{ "code": "QUOTA", "message": "" }';

function catching(...errors: string[]): string {
  return `"catch": [{ "errors": ${JSON.stringify(errors)}, "steps": [{ ${ON} }] }]`;
}

/** The errors that are said never to match, in a flow with one step that catches them. */
function neverIn(step: string, ...errors: string[]): readonly string[] {
  const text = `{ "f": { "input": { "properties": { "a": {} } }, "steps": [{ ${step}, ${catching(...errors)} }] } }`;
  const { problems, warnings } = validateFlowText(text);
  expect(problems).toEqual([]);
  return warnings.map(({ code, message }) => `${code} ${message.split('`')[1]}`);
}

const lost = (error: string) => [`CATCH_NEVER_MATCHES ${error}`];

it.each([
  `"group": [{ ${ON} }]`,
  `"choice": [{ "when": "{% $input.a %}", "steps": [{ ${ON} }] }]`,
  `"parallel": { "a": [{ ${ON} }] }`,
  `"loop": { "max": 2, "until": "{% $input.a %}", "steps": [{ ${ON} }] }`,
  `"foreach": { "in": [1], "as": "x", "steps": [{ ${ON} }] }`,
  '"flow": { "name": "g" }',
  '"dynamic": { "steps": "{% $input.a %}" }',
])('a step that holds others may lack room for them: %s', (step) => {
  expect(neverIn(step, 'TASK_TOO_LARGE')).toEqual([]);
});

it('a step without others never lacks room for any', () => {
  expect(neverIn(ON, 'TASK_TOO_LARGE')).toEqual(lost('TASK_TOO_LARGE'));
});

it.each([
  ['"wait": { "signal": "a" }', 'SIGNAL_TIMEOUT'],
  ['"wait": { "signal": "a", "timeout": "1m", "onTimeout": "continue" }', 'SIGNAL_TIMEOUT'],
  ['"approve": { "title": "t", "timeout": "1m", "onTimeout": "continue" }', 'SIGNAL_TIMEOUT'],
  [`"group": [{ ${ON} }]`, 'TIMED_OUT'],
  [`"group": [{ ${RUN}, ${catching('QUOTA')} }]`, 'QUOTA'],
  [`"group": [{ ${RUN}, ${catching('*')} }]`, 'QUOTA'],
  [`"group": [{ ${RUN}, "optional": true }]`, 'QUOTA'],
  [`"group": [{ ${RUN}, ${catching('QUOTA')} }, { ${RUN}, ${catching('*')} }]`, 'QUOTA'],
  [`"group": [{ "group": [{ ${RUN}, ${catching('QUOTA', 'A')} }] }, { ${ON} }]`, 'QUOTA'],
])('a clause of %s never matches %s', (step, error) => {
  expect(neverIn(step, error)).toEqual(lost(error));
});

it.each([
  ['"wait": { "signal": "a", "timeout": "1m" }', 'SIGNAL_TIMEOUT'],
  ['"approve": { "title": "t", "timeout": "1m" }', 'SIGNAL_TIMEOUT'],
  [`"group": [{ ${ON} }], "timeout": "1m"`, 'TIMED_OUT'],
  [`"group": [{ ${RUN}, ${catching('OTHER')} }]`, 'QUOTA'],
  [`"group": [{ ${RUN}, ${catching('QUOTA')} }, { ${RUN}, ${catching('OTHER')} }]`, 'QUOTA'],
  [`"group": [{ ${RUN}, ${catching('QUOTA').replace(ON, RUN)} }]`, 'QUOTA'],
  ['"group": [{ "fail": { "code": "TIMED_OUT", "message": "" } }]', 'TIMED_OUT'],
  [`"group": [{ ${RUN}, ${catching('*')} }]`, 'EXPRESSION_FAILED'],
  [`"group": [{ ${RUN}, ${catching('QUOTA')} }, { "fail": ${FAILS} }]`, 'QUOTA'],
])('a clause of %s may match %s', (step, error) => {
  expect(neverIn(step, error)).toEqual([]);
});
