import assert from 'node:assert/strict';
import { isRefusal } from '../judge.js';
import { membersOf } from '../exchange.js';
import type { Reproduction, Subject } from '../reproduction.js';
import type { Stand } from '../stand.js';

const STEP = { normal: { module: 'lab', command: 'succeed' } };
/** Longest time that the judgement of one request may take. */
const DEADLINE_MS = 2_000;

interface Case {
  readonly rule: string;
  readonly input: object;
  readonly sends: string;
  readonly parameters: () => unknown;
}

const object = (properties: object, more: object = {}): object => ({
  type: 'object',
  properties,
  ...more,
});
const either = { anyOf: [{ type: 'string' }, { type: 'integer' }] };
const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

/** A value nested so deeply. */
function nested(levels: number, inner: unknown): unknown {
  let value = inner;
  for (let level = 0; level < levels; level += 1) value = { next: value };
  return value;
}

const CASES: readonly Case[] = [
  {
    rule: 'a list far beyond its bound of things that fit no choice',
    input: object({ hosts: { type: 'array', maxItems: 50, items: either } }),
    sends: '50,000 nulls where each is a text or a number',
    parameters: () => ({ hosts: times(50_000, () => null) }),
  },
  {
    rule: 'a list without a bound of things that fit no choice',
    input: object({ hosts: { type: 'array', items: either } }),
    sends: '50,000 nulls where each is a text or a number',
    parameters: () => ({ hosts: times(50_000, () => null) }),
  },
  {
    rule: 'members without a bound that fit no choice',
    input: object({}, { additionalProperties: { oneOf: either.anyOf } }),
    sends: '20,000 members that are null',
    parameters: () => Object.fromEntries(times(20_000, (n) => [`m${n}`, null])),
  },
  {
    rule: 'a list of unlike objects, far beyond its bound',
    input: object({ all: { type: 'array', maxItems: 10, uniqueItems: true } }),
    sends: '16,000 objects',
    parameters: () => ({ all: times(16_000, (n) => ({ n })) }),
  },
  {
    rule: 'a list of unlike objects without a bound',
    input: object({ all: { type: 'array', uniqueItems: true } }),
    sends: '16,000 objects',
    parameters: () => ({ all: times(16_000, (n) => ({ n })) }),
  },
  {
    rule: 'a pattern that goes back and forth',
    input: object({ name: { type: 'string', pattern: '^([a-zA-Z0-9]+\\s?)*$', maxLength: 64 } }),
    sends: '63 letters and an exclamation mark',
    parameters: () => ({ name: `${'a'.repeat(63)}!` }),
  },
  {
    rule: 'a pattern of a member name that goes back and forth',
    input: object({}, { patternProperties: { '^(a|a)*$': { type: 'string' } } }),
    sends: 'a name of 63 letters and an exclamation mark',
    parameters: () => ({ [`${'a'.repeat(63)}!`]: 1 }),
  },
  {
    rule: 'a quadratic pattern on a long text',
    input: object({ text: { type: 'string', pattern: '\\s+$' } }),
    sends: '250,000 spaces and a letter',
    parameters: () => ({ text: `${' '.repeat(250_000)}x` }),
  },
  {
    rule: 'a choice of two branches that lead back to it',
    input: {
      ...object({ tree: { $ref: '#/$defs/node' } }),
      $defs: {
        node: {
          anyOf: [
            object({ next: { $ref: '#/$defs/node' } }, { required: ['next', 'left'] }),
            object({ next: { $ref: '#/$defs/node' } }, { required: ['next', 'right'] }),
          ],
        },
      },
    },
    sends: '60 levels that fit neither',
    parameters: () => ({ tree: nested(60, 1) }),
  },
  {
    rule: 'a list checked for what it contains, in a list',
    input: object({
      rows: {
        type: 'array',
        items: { type: 'array', contains: { type: 'array', contains: { const: 'x' } } },
      },
    }),
    sends: '100,000 empty lists',
    parameters: () => ({ rows: times(80_000, () => []) }),
  },
];

/** The flow is refused when it is loaded, or its input is judged within a deadline. */
async function play(stand: Stand, { input, parameters }: Case, name: string): Promise<void> {
  const flow = { input, steps: [STEP] };
  const check = await stand.send({ path: '/v1/flows:validate', body: { [name]: flow } });
  assert.ok(check.status === 200 || isRefusal(check), `${check.status} ${check.text}`);
  assert.ok(check.ms <= stand.within(DEADLINE_MS), `judged after ${Math.round(check.ms)} ms`);
  if (membersOf(check)['valid'] !== true) return;
  await stand.addFlow(name, flow);
  const body = JSON.stringify({ flow: name, parameters: parameters() });
  const reply = await stand.send({ path: '/v1/tasks', body });
  const said = `${reply.status} ${reply.text.slice(0, 200)}`;
  assert.ok(reply.status === 201 || isRefusal(reply), said);
  assert.ok(reply.ms <= stand.within(DEADLINE_MS), `${reply.status} after ${reply.ms} ms`);
  const { errors = [] } = membersOf<{ errors: unknown[] }>(reply);
  assert.ok(errors.length <= 200, `${errors.length} errors`);
}

/** Input schemas that make much work of little input. */
export const inputSchemas: Subject = {
  name: 'input schemas',
  reproductions: CASES.map((entry, n): Reproduction => {
    const { rule, sends } = entry;
    return {
      rule: `input is judged within a deadline, or its schema is refused: ${rule}`,
      sends: `POST /v1/tasks, ${sends}`,
      play: (stand) => play(stand, entry, `judged-${n}`),
    };
  }),
};
