import { describe, expect, it } from '@jest/globals';
import jsonata from 'jsonata';
import { parseExpression } from './parse-expression.js';

const entry = (n: number) => ({ name: `h${n}`, cpu: 8, tags: ['a', 'b'] });

/** The results of an expression where three, one and no entries are found. */
async function results(code: string): Promise<readonly unknown[]> {
  const found = [3, 1, 0].map((count) => Array.from({ length: count }, (_, n) => entry(n)));
  return Promise.all(
    found.map((all) => {
      const few = { ...Object.fromEntries(all.map(({ name }) => [name, 1])) };
      return jsonata(code).evaluate({ all: [...all, { cpu: 1 }], hosts: all, few, n: 0, one: {} });
    }),
  );
}

function pickedIn(code: string): boolean {
  const parsed = parseExpression(`{% ${code} %}`);
  if ('message' in parsed) throw new Error(parsed.message);
  const isList = (names: readonly string[]) => ['all', 'hosts'].includes(names.join('.'));
  return parsed.picked().some(({ passed }) => passed === null || passed.some(isList));
}

function isOneKind(values: readonly unknown[]): boolean {
  return new Set(values.map((value) => (Array.isArray(value) ? 'list' : 'no list'))).size === 1;
}

const VARYING = [
  'all[cpu > 4]',
  'all[cpu > 4].name',
  'all[cpu > 4 and true].name',
  'all[$exists(name)]',
  'hosts.name',
  '$.hosts.name',
  'hosts.{"a": name}',
  '(hosts.name)',
  '($x := hosts.name; $x)',
  'n = 0 ? hosts.name : []',
  'hosts^(name)',
  'few.*',
  '$filter(all, function($h) { $h.cpu > 4 })',
  'all ~> $filter(function($h) { $h.cpu > 4 })',
  '$map(hosts, function($h) { $h.name })',
  '$keys(few)',
  '$distinct(hosts.name)',
  'hosts.name ~> $distinct',
  'hosts.name ~> $distinct() ~> $sort()',
  '$reverse($sort(all[cpu > 4].name))',
];

const OF_ONE_KIND = [
  '[all[cpu > 4].name]',
  '(all[cpu > 4].name)[0]',
  'all[cpu > 4][0].name',
  'all[cpu > 4]^(name)[0]',
  'hosts[0]',
  'hosts[-1].name',
  'hosts[n].name',
  'hosts',
  'one.name.x',
  '$count(all[cpu > 4])',
  '$sum(hosts.cpu)',
  '$join(hosts.name, " ")',
  'hosts{name: cpu}',
  '"a" & hosts.name',
  '$exists(all[cpu > 4])',
  '$distinct(hosts)',
  '[$distinct(hosts.name)]',
  'hosts.name ~> $sort ~> $count',
];

describe('the parts that an expression picks', () => {
  it.each(VARYING)('are found in %s', async (code) => {
    expect(isOneKind(await results(code))).toBe(false);
    expect(pickedIn(code)).toBe(true);
  });

  it.each(OF_ONE_KIND)('are not found in %s', async (code) => {
    expect(isOneKind(await results(code))).toBe(true);
    expect(pickedIn(code)).toBe(false);
  });

  it('are found in the members of an object', () => {
    expect(pickedIn('{"a": 1, "b": all[cpu > 4].name}')).toBe(true);
    expect(pickedIn('{"a": 1, "b": [all[cpu > 4].name]}')).toBe(false);
  });
});
