import { expect, it } from '@jest/globals';
import { validateFlowText } from '../parse-flow-file.js';

const ON = '"set": { "on": 1 }';

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
