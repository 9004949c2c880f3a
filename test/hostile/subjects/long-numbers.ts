import type { Reproduction, Subject } from '../reproduction.js';
import { request, type Wanted } from '../judge.js';

/** Parameters may be so large, and a batch sixteen times that. */
const ONE = 250_000;
const BATCH = 4_100_000;
const FLOW_TEXT = 1_000_000;

const zeros = (count: number): string => '0'.repeat(count);
const task = (value: string): string => `{"flow":"lab-succeed","parameters":{"a":${value}}}`;

const NUMBERS: readonly (readonly [what: string, value: string])[] = [
  ['a whole number', `1${zeros(ONE)}1`],
  ['a number of nines', '9'.repeat(ONE)],
  ['a negative fraction', `-0.${zeros(ONE)}1`],
  ['runs of zeros', `1${`${zeros(999)}1`.repeat(ONE / 1_000)}`],
  ['a long exponent', `1e${zeros(ONE)}1`],
  ['a long exponent below zero', `1e-${'9'.repeat(ONE)}`],
];

const REFUSED: Wanted = { withinMs: 100 };

const single = NUMBERS.map(([what, value]): Reproduction =>
  request(
    {
      rule: `a request with a long number is refused at once: ${what}`,
      sends: `POST /v1/tasks, ${value.slice(0, 8)}... of ${value.length} characters`,
    },
    { path: '/v1/tasks', body: task(value) },
    REFUSED,
  ),
);

const many = `[${Array.from({ length: 600 }, () => `1${zeros(390)}1`).join(',')}]`;

/** Numbers whose digits take longer to read than to send. */
export const longNumbers: Subject = {
  name: 'long numbers',
  reproductions: [
    ...single,
    request(
      {
        rule: 'a request full of numbers of four hundred digits is refused at once',
        sends: 'POST /v1/tasks, 600 numbers of 392 digits',
      },
      { path: '/v1/tasks', body: task(many) },
      REFUSED,
    ),
    request(
      {
        rule: 'a batch with a long number is refused before it is read any further',
        sends: 'POST /v1/tasks:batch, a number of 4.1 million digits',
      },
      () => ({ path: '/v1/tasks:batch', body: `{"tasks":[${task(`1${zeros(BATCH)}1`)}]}` }),
      { withinMs: 400 },
    ),
    request(
      {
        rule: 'a reason that is a long number is refused at once',
        sends: 'POST /v1/tasks/{id}:rollback, a number of 250,000 digits',
      },
      {
        path: '/v1/tasks/01900000-0000-7000-8000-000000000000:rollback',
        body: `{"reason":1${zeros(ONE)}1}`,
      },
      REFUSED,
    ),
    request(
      {
        rule: 'a flow text with a long number is judged at once',
        sends: 'POST /v1/flows:validate, a number of a million digits',
      },
      () => ({
        path: '/v1/flows:validate',
        body: `{"x":{"timeout":1${zeros(FLOW_TEXT)}1,"steps":[]}}`,
      }),
      { status: [200, 400, 413, 422], withinMs: 1_000 },
    ),
  ],
};
