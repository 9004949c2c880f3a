import { describe, expect, it } from '@jest/globals';
import jsonata from 'jsonata';
import type { ExpressionNames, MembersRead } from './expression-names.js';
import { FORBIDDEN_FUNCTIONS, FUNCTIONS } from './known-variables.js';
import {
  EXPRESSION_DEPTH_MAX,
  EXPRESSION_LENGTH_MAX,
  type ExpressionFault,
  parseExpression,
} from './parse-expression.js';

const MEMBERS = ['parameters', 'input', 'steps', 'states', 'env'] as const;

/** The names that an expression reads, in order, with `*` for the whole. */
function namesOf(text: string): Record<string, unknown> {
  const read = parseExpression(text);
  if (!('names' in read)) throw new Error(JSON.stringify(read));
  return Object.fromEntries(MEMBERS.flatMap((key) => shown(key, read.names)));
}

function shown(key: (typeof MEMBERS)[number], names: ExpressionNames): [string, string][] {
  const { named, isReadWhole }: MembersRead = names[key];
  const all = [...new Set(named.map(({ name }) => name))].sort().join(' ');
  return all || isReadWhole ? [[key, isReadWhole ? `${all}*` : all]] : [];
}

function faultOf(text: string): ExpressionFault {
  const read = parseExpression(text);
  if ('names' in read) throw new Error(`${text} has no fault`);
  return read;
}

describe('an expression looks at', () => {
  it.each<[string, Record<string, string>]>([
    ['{% 1 + 2 %}', {}],
    ['{%fleet%}', { parameters: 'fleet' }],
    ['{% fleet.hosts[cpu > 2].name & $.region & $$.zone %}', { parameters: 'fleet region zone' }],
    ['{% `odd name` = "x" %}', { parameters: 'odd name' }],
    ['{% $ %}', { parameters: '*' }],
    ['{% $$[0] %}', { parameters: '*' }],
    ['{% hosts[$ = "a"] %}', { parameters: 'hosts' }],
    ['{% hosts[$$.wanted = name] %}', { parameters: 'hosts wanted' }],
    ['{% $map(hosts, function($h) { $h.name & suffix }) %}', { parameters: 'hosts suffix' }],
    ['{% hosts{name: cpu}^(>cpu) %}', { parameters: 'hosts' }],
    ['{% hosts.($n := name; $n & cpu) %}', { parameters: 'hosts' }],
    ['{% ($n := name; $n & cpu) %}', { parameters: 'cpu name' }],
    ['{% hosts@$h.disks#$i[$h.size > $i].name %}', { parameters: 'hosts' }],
    ['{% hosts[cpu > 1]#$i.[$i, name] %}', { parameters: 'hosts' }],
    ['{% on ? yes : no ?: maybe ?? never %}', { parameters: 'maybe never no on yes' }],
    ['{% $ ~> | hosts | {"cpu": cpu + 1}, ["x"] | %}', { parameters: '*' }],
    ['{% *.name %}', { parameters: '*' }],
    ['{% **.name %}', { parameters: '*' }],
    ['{% $keys() %}', { parameters: '*' }],
    ['{% {"a": b, "c": [d, -e]} %}', { parameters: 'b d e' }],
    ['{% hosts ~> $count %}', { parameters: 'hosts' }],
    ['{% $input.region & $now() %}', { input: 'region' }],
    ['{% $exists($input) %}', { input: '*' }],
    ['{% $steps.create.id & $steps."make-it".id %}', { steps: 'create make-it' }],
    ['{% $steps.* %}', { steps: '*' }],
    ['{% $lookup($steps, name) %}', { parameters: 'name', steps: '*' }],
    ['{% $state("create") = "succeeded" %}', { states: 'create' }],
    ['{% $state(name) %}', { parameters: 'name', states: '*' }],
    ['{% $env.REGION & $task.id %}', { env: 'REGION' }],
    ['{% $spread($env) %}', { env: '*' }],
  ])('%s', (text, names) => {
    expect(namesOf(text)).toEqual(names);
  });

  it('$index only where it is written', () => {
    expect(parseExpression('{% $index + 1 %}')).toMatchObject({ names: { usesIndex: true } });
    expect(parseExpression('{% index + 1 %}')).toMatchObject({ names: { usesIndex: false } });
  });

  it('each name at the place where it is written', () => {
    const text = '{% fleet & $steps.`a b`.c & $steps.create & $state("x") & $.zone %}';
    const read = parseExpression(text);
    if (!('names' in read)) throw new Error(JSON.stringify(read));
    expect(read.source).toBe(text.slice(2, -2));
    const placed = MEMBERS.flatMap((key) => read.names[key].named)
      .map(({ name, position }) => [text.slice(position).replace(/^[`"]/, ''), name] as const)
      .filter(([rest, name]) => !rest.startsWith(name));
    expect(placed).toEqual([]);
  });
});

describe('an expression has a fault', () => {
  it.each<[string, number, RegExp]>([
    ['fleet', 0, /write \{% before the expression and %\} behind it/],
    ['{%}', 0, /write/],
    ['{%%}', 2, /Unexpected end/],
    ['{% a + %}', 7, /Unexpected end/],
    ['  {% a b %} ', 7, /Syntax error: "b"/],
    ['{% a b %}', 5, /Syntax error: "b"/],
    ['{% a %} and {% b %}', 6, /cannot be used as a unary operator/],
    ['{% /(/ %}', 7, /No terminating \//],
    ['{% /a++/ %}', 2, /Invalid regular expression/],
    ['{% "abc %}', 8, /terminated by a matching quote/],
    ['{% fleet & $stpes.a %}', 11, /nothing is known as \$stpes: did you mean \$steps\?/],
    ['{% $zzzzz %}', 3, /nothing is known as \$zzzzz$/],
    ['{% $upercase(a) %}', 3, /did you mean \$uppercase\?/],
    ['{% $eval("1") %}', 3, /\$eval is not there/],
    ['{% a ~> $shuffle %}', 8, /\$shuffle is not there/],
    ['{% ($r := $random; $r()) %}', 10, /\$random is not there/],
    ['{% ($millis := 1; $millis) %}', 18, /\$millis is not there: .*\$now\(\)/],
    ['{% ($steps := 1; 2) %}', 11, /\$steps is given by the task/],
    ['{% $map(a, function($index) { 1 }) %}', 19, /\$index is given by the task/],
    ['{% a#$now %}', 3, /\$now is given by the task/],
    ['{% [$b, $a] %}', 4, /\$b/],
  ])('%s at %d', (text, position, message) => {
    expect(faultOf(text)).toEqual({ position, message: expect.stringMatching(message) });
  });

  it('on one line, and of a length to be read', () => {
    const { message } = faultOf(`{% a "${'\u202e\\n'.repeat(500)}" %}`);
    expect(message).toMatch(/^[ -~]{100,210}$/);
  });

  it.each([
    ['too long', `{% ${'1 '.repeat(EXPRESSION_LENGTH_MAX / 2)} %}`, /characters, at most 16384/],
    ['brackets inside each other', `{%${'['.repeat(8_000)}${']'.repeat(8_000)}%}`, /inside each/],
    ['signs one after the other', `{%${'-'.repeat(16_000)}a%}`, /inside each other/],
    ['a long chain', `{%${'a+'.repeat(EXPRESSION_DEPTH_MAX)}a%}`, /more than 500 parts/],
    ['nothing but comments', `{%${'/**/'.repeat(4_000)}%}`, /inside each other|Unexpected end/],
  ])('where it is too much: %s', (_name, text, message) => {
    expect(faultOf(text).message).toMatch(message);
  });
});

describe('the functions', () => {
  const known = async (name: string) => await jsonata(`$exists($${name})`).evaluate({});

  it.each([...FUNCTIONS, ...FORBIDDEN_FUNCTIONS.keys()])(
    '$%s is one of the library',
    async (name) => {
      expect(await known(name)).toBe(true);
    },
  );
});
