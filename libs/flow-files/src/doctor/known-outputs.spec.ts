import { expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import { parseFlowFile } from '../parse-flow-file.js';

const HOST = { properties: { host: { type: 'string' } } };
const CLOSED = { ...HOST, additionalProperties: false };
const OUTPUTS: Readonly<Record<string, readonly JsonObject[]>> = {
  closed: [CLOSED],
  apart: [{ allOf: [HOST], unevaluatedProperties: false }],
  open: [HOST],
  named: [{ ...CLOSED, patternProperties: { '^x-': {} } }],
  either: [CLOSED, { properties: { port: {} }, additionalProperties: false }],
  oneOpen: [CLOSED, HOST],
  silent: [],
};

const run = (command: string) => ({ name: 'a', normal: { module: 'm', command }, rollback: null });
const read = (expression: string) => ({ name: 'b', set: { got: `{% ${expression} %}` } });

/** The warnings of a flow of these steps, to which a request sends nothing. */
function warned(...steps: readonly object[]): readonly string[] {
  const text = JSON.stringify({ f: { input: { properties: {} }, steps } });
  const commands = {
    modules: () => ['m'],
    commands: () => Object.keys(OUTPUTS),
    outputs: (_module: string, command: string) => OUTPUTS[command] ?? [],
  };
  const { flows, problems } = parseFlowFile(text, { commands });
  expect(problems).toEqual([]);
  return flows.flatMap(({ warnings }) => warnings.map(({ code, hint }) => `${code} ${hint}`));
}

it.each([
  ['closed', '$steps.a.hots', 'UNKNOWN_OUTPUT Did you mean `host`?'],
  ['closed', '$steps.a.size', 'UNKNOWN_OUTPUT Possible here: `host`.'],
  ['apart', '$steps.a.size[0].x', 'UNKNOWN_OUTPUT Possible here: `host`.'],
  ['either', '$steps.a.size', 'UNKNOWN_OUTPUT Possible here: `host`, `port`.'],
])('the output of %s has no such member as %s reads', (command, expression, expected) => {
  expect(warned(run(command), read(expression))).toEqual([expected]);
  const within = { name: 'g', group: [read(expression)] };
  expect(warned(run(command), within)).toEqual([expected]);
});

it.each([
  ['closed', '$steps.a.host'],
  ['closed', '$steps.a'],
  ['closed', '[$steps.a.*]'],
  ['closed', '$lookup($steps.a, "size")'],
  ['closed', '$state("a")'],
  ['apart', '$steps.a.host'],
  ['open', '$steps.a.size'],
  ['named', '$steps.a.size'],
  ['either', '$steps.a.port'],
  ['oneOpen', '$steps.a.size'],
  ['silent', '$steps.a.size'],
])('the output of %s may have what %s reads', (command, expression) => {
  expect(warned(run(command), read(expression))).toEqual([]);
});

it('a step with `catch` may have another output', () => {
  const caught = { ...run('closed'), catch: [{ errors: ['*'], steps: [read('1')] }] };
  expect(warned(caught, { ...read('$steps.a.got'), name: 'c' })).toEqual([]);
});

it('no parameter comes from a command whose output does not have it', () => {
  expect(warned(run('closed'), read('host'))).toEqual([]);
  expect(warned(run('closed'), read('size'))).toEqual([
    expect.stringContaining('UNKNOWN_PARAMETER'),
  ]);
  expect(warned(run('open'), read('size'))).toEqual([]);
});
