import type { Sent } from './exchange.js';
import { HUGE_SCHEMAS } from './subjects/flow-texts.js';

const PARAMETERS = 261_000;
const BATCH = 4_300_000;
/** Flows that the salvo needs besides those that come along. */
export const SALVO_FLOWS = {
  'salvo-hosts': {
    input: {
      type: 'object',
      properties: {
        hosts: {
          type: 'array',
          maxItems: 50,
          items: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
        },
      },
    },
    steps: [{ normal: { module: 'lab', command: 'succeed' } }],
  },
};

const FLOW = 'lab-four-steps';
const task = (parameters: object, flow = FLOW): object => ({ flow, parameters });
const post = (path: string, body: unknown): Sent => ({ path, body: JSON.stringify(body) });
const members = (count: number, prefix: string): object =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, n]));
const list = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

const ESCAPED = '"\\\n\u0001é😀';
const escapes = (bytes: number): string =>
  ESCAPED.repeat(Math.floor(bytes / (JSON.stringify(ESCAPED).length + 6)));

/** As many lists and objects in each other as may be, side by side; fewer in a batch. */
function trees(bytes: number, levels = 60): object {
  const tree = JSON.parse(`${'{"d":['.repeat(levels / 2)}${']}'.repeat(levels / 2)}`) as object;
  return { trees: list(Math.floor(bytes / (levels * 4 + 1)), () => tree) };
}

const schema = (name: string, round: number): Sent => {
  const input = HUGE_SCHEMAS[name]?.() ?? '{}';
  const steps = '[{"normal":{"module":"lab","command":"succeed"}}]';
  return { path: '/v1/flows:validate', body: `{"x${round}":{"input":${input},"steps":${steps}}}` };
};

const entry = (bytes: number): object => task({ text: 'x'.repeat(bytes) });
const ENTRIES = 1_000;

/** Twenty requests of the largest sizes that are taken, each of another kind. */
export function salvoRequests(round: number): readonly Sent[] {
  const lists = '/v1/tasks?full=true&limit=200';
  return [
    post('/v1/tasks:batch', { tasks: list(ENTRIES, () => members(400, 'x')) }),
    post('/v1/tasks:batch', { tasks: list(ENTRIES, () => ({ ...entry(4_000), flow: 5 })) }),
    post('/v1/tasks:batch', { tasks: list(16, () => entry(PARAMETERS)) }),
    post('/v1/tasks:batch', { tasks: list(16, () => task(trees(PARAMETERS, 58))) }),
    post('/v1/tasks:batch', { tasks: list(BATCH / 5, () => null) }),
    post('/v1/tasks:batch', { tasks: [entry(BATCH - 1_000)] }),
    { path: '/v1/tasks:batch', body: `{"tasks":[${'['.repeat(BATCH)}` },
    post('/v1/tasks', task({ text: escapes(PARAMETERS) })),
    post('/v1/tasks', task({ text: 'x'.repeat(PARAMETERS) })),
    post('/v1/tasks', task(members(18_000, 'm'))),
    post('/v1/tasks', task(trees(PARAMETERS))),
    post('/v1/tasks', task({ hosts: list(50_000, () => null) }, 'salvo-hosts')),
    { path: '/v1/tasks', body: `{"flow":"${FLOW}","parameters":{"n":1${'0'.repeat(250_000)}1}}` },
    post('/v1/tasks', { flow: FLOW, labels: members(15_000, 'l') }),
    schema('dependent members', round),
    schema('properties', round),
    schema('choices', round),
    post('/v1/flows:validate', { x: { steps: list(100_000, () => ({ no: 1 })) } }),
    { path: lists },
    { path: `${lists}&flow=${FLOW}` },
  ];
}
