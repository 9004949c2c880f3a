import assert from 'node:assert/strict';
import type { TaskView } from '../../load/index.js';
import { FAILING_FLOW, FAILS_LAST } from '../../load/index.js';
import { isRefusal } from '../judge.js';
import type { Reproduction, Subject } from '../reproduction.js';

const SIZE = { cpu: 1, memory: 1, storage: 1 };
const TOO_LARGE = { ...SIZE, cpu: 900_000_000 };

/** Members that a step or its way back looks at, with values that nobody expects there. */
const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  instance: [5, null, [], {}, '', 'x'.repeat(200), 'a/b', true],
  message: [5, [], {}, 'x'.repeat(2_000), null],
  severity: ['zzz', 5, null, {}],
  cpu: ['many', -1, 1e308, null, [], {}],
  memory: ['much', -1, null],
  storage: [{}, -0.5, null],
  role: [5, {}],
  nameSuffix: [5, 'a b'],
  connections: ['x', -1, 1e9],
  endpoint: [5, 'a/b'],
  targetLabels: [5, [], { '': 1 }],
  host: [5, {}],
};

const FLOWS = ['create-db-instance', 'create-db-cluster', 'delete-db-instance', FAILS_LAST];

const wrong = FLOWS.map((flow): Reproduction => ({
  rule: `a wrong type in a request calls nobody: ${flow}`,
  sends: `${flow} with each member that a step looks at, of each wrong type`,
  limitMs: 180_000,
  play: async (stand) => {
    for (const [name, values] of Object.entries(WRONG)) {
      for (const size of [SIZE, TOO_LARGE]) {
        for (const value of values) {
          const given = flow === 'delete-db-instance' ? { instance: 'nobody' } : {};
          const parameters = { ...given, ...size, [name]: value };
          const path = '/v1/tasks?wait=10s';
          const reply = await stand.send({ path, body: { flow, parameters } });
          if (isRefusal(reply)) continue;
          assert.equal(reply.status, 201, reply.text.slice(0, 300));
          const { status, steps } = JSON.parse(reply.text) as TaskView;
          const said = steps.map(({ message, rollback }) => [message, rollback?.message]);
          assert.ok(
            ['succeeded', 'rolled_back'].includes(status),
            `${name} = ${JSON.stringify(value)?.slice(0, 50)}: ${status} ${JSON.stringify(said)}`,
          );
        }
      }
    }
  },
}));

/** Requests whose members are of types that steps do not take. */
export const wrongTypes: Subject = {
  name: 'wrong types',
  flows: FAILING_FLOW,
  settings: { log: 'error' },
  reproductions: wrong,
};
