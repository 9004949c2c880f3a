import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { REPOSITORY } from './pages.js';
import { flowReference } from './schema-reference.js';

/** Every member that an object of the schema may have, wherever it stands. */
function membersIn(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const {
    examples: _,
    properties,
    ...rest
  } = schema as { properties?: object; examples?: unknown };
  return [
    ...Object.keys(properties ?? {}),
    ...[...Object.values(properties ?? {}), ...Object.values(rest)].flatMap(membersIn),
  ];
}

it('the reference of the flow language has a row for each member that the schema knows', () => {
  const file = path.join(REPOSITORY, 'schemas', 'flow.v1.json');
  const schema = JSON.parse(readFileSync(file, 'utf8')) as object;
  const rows = [...flowReference().matchAll(/^\| `(\w+)` \|/gm)].map(([, member = '']) => member);
  const all = new Set(membersIn(schema));
  all.delete('$schema');
  expect([...all].filter((member) => !rows.includes(member))).toEqual([]);
  expect(all.size).toBeGreaterThan(50);
});

it('it says what is required, what is bounded and what excludes each other', () => {
  const text = flowReference();
  expect(text).toContain('| `max` | a whole number | required | 1 to 1,000 |');
  expect(text).toContain('- It has exactly one of `for`, `until` and `signal`.');
  expect(text).toContain('- `otherwise` goes with `choice`.');
  expect(text).toContain('[a list of cases](#stepchoice)');
});
