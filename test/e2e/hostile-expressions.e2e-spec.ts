import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { Api } from '../load/index.js';
import { type Deployment, startDeployment } from '../stack/index.js';
import { Trial, writeFlows } from '../trial/index.js';

jest.setTimeout(300_000);

/** The processor time that an expression may have. */
const OWN_TIME_MS = 200;
/**
 * From the request that starts a task until its answer says that it has ended, less what the
 * machine just then takes for the time that the expression may have: 300 ms in all on an idle one.
 */
const FURTHER_MS = 100;
/** A busy moment of the machine is no fault of an expression: the best of several counts. */
const ROUNDS_MAX = 20;

const LONG = `${'a'.repeat(60)}!`;
const GROW = '$f := function($s, $n) { $n = 0 ? $s : $f($s & $s, $n - 1) }';

/** Expressions that want to go on for ever, or to have what is not theirs. */
const HOSTILE: Readonly<Record<string, string>> = {
  'endless-loop': '($f := function($n) { $f($n + 1) }; $f(0))',
  'endless-recursion': '($f := function($n) { $f($n + 1) + 1 }; $f(0))',
  'endless-sort': '$sort([1..10000], function() { true })',
  'deep-result': '($f := function($n) { $n = 0 ? 1 : [[$f($n - 1)], 2] }; $f(240))',
  'huge-range': '[1..10000000]',
  'huge-lists': '$map([1..10000], function() { [1..10000] })',
  'huge-text': '$length($pad("a", 100000000))',
  'huge-growth': `(${GROW}; $base64encode($f("aaaaaaaa", 25)))`,
  'prototype-call': '($make := $.constructor; $make("return process"))',
  'prototype-function': '$string.constructor("return process")()',
  'prototype-apply': '$map(["a"], constructor)',
  'regexp-nested': '$match(long, /^(a+)+$/)',
  'regexp-alternatives': '$replace(long, /^(a|a)*$/, "b")',
};

/** Those that fail at once, without a need for time. */
const QUICK: readonly string[] = [
  'deep-result',
  'endless-recursion',
  'huge-range',
  'prototype-apply',
  'prototype-call',
  'prototype-function',
];

const step = (code: string) => ({ name: 'work', set: { got: `{% ${code} %}` } });

const FLOWS = {
  plain: [{ name: 'done', normal: { module: 'lab', command: 'succeed' } }],
  good: [step('1 + 1')],
  ...Object.fromEntries(
    Object.entries(HOSTILE).map(([name, code]) => [
      name,
      { input: { properties: { long: {} } }, steps: [step(code)] },
    ]),
  ),
};

/** Uses up so much processor time, and returns how long that took, in milliseconds. */
function spin(cpuMs: number): number {
  const begin = performance.now();
  const before = process.cpuUsage();
  for (;;) {
    const { system, user } = process.cpuUsage(before);
    if ((system + user) / 1_000 >= cpuMs) return performance.now() - begin;
  }
}

interface Failed {
  readonly status: string;
  readonly lastError: { readonly code: string; readonly step: string } | null;
}

/** Runs a task to its end. */
async function run(api: Api, flow: string): Promise<Failed & { readonly ms: number }> {
  const begin = performance.now();
  const task = await api.run(flow, HOSTILE[flow] === undefined ? {} : { long: LONG });
  return { ...(task as unknown as Failed), ms: performance.now() - begin };
}

/** Has a hostile expression fail its step, and returns how long that took, in milliseconds. */
async function failing(api: Api, name: string): Promise<number> {
  const { ms, ...failed } = await run(api, name);
  expect(failed).toMatchObject({
    status: 'rolled_back',
    lastError: { code: 'EXPRESSION_FAILED', step: 'work' },
  });
  return ms;
}

/** Whether tasks of others, begun after a hostile one, end before it. */
async function isLast(api: Api, name: string): Promise<boolean> {
  const order: string[] = [];
  const hostile = failing(api, name).then(() => order.push(name));
  const others = ['good', 'plain'].map(async (flow) => {
    const { status } = await run(api, flow);
    expect(status).toBe('succeeded');
    order.push(flow);
  });
  await Promise.all([hostile, ...others]);
  return order.at(-1) === name;
}

describe('an expression that is hostile', () => {
  const trial = new Trial('hostile-expressions');
  let backstep: Deployment;
  let api: Api;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const settings = { flows: await writeFlows(folder, FLOWS) };
      backstep = trial.use(await startDeployment('standalone', { folder, settings }));
      api = new Api(backstep.url);
      // The first expression of a process waits for a start.
      await api.run('good');
    }),
  );
  afterAll(() => trial.close());

  for (const name of Object.keys(HOSTILE)) {
    trial.it(`fails its step in time: ${name}`, async () => {
      let best = Infinity;
      for (let round = 0; round < ROUNDS_MAX && best > FURTHER_MS; round += 1) {
        const ownMs = spin(OWN_TIME_MS);
        best = Math.min(best, (await failing(api, name)) - ownMs);
      }
      expect(best).toBeLessThanOrEqual(FURTHER_MS);
    });

    trial.it(`is in nobody's way: ${name}`, async () => {
      // One that fails at once may end before the others.
      let isPassed = false;
      for (let round = 0; round < ROUNDS_MAX && !isPassed; round += 1) {
        isPassed = (await isLast(api, name)) || QUICK.includes(name);
      }
      expect(isPassed).toBe(true);
    });
  }

  trial.it('leaves expressions of others alone when there are as many as can be', async () => {
    const names = Object.keys(HOSTILE);
    const all = await Promise.all([...names, 'good', 'plain'].map((flow) => run(api, flow)));
    expect(all.slice(0, names.length).map(({ lastError }) => lastError?.code)).toEqual(
      names.map(() => 'EXPRESSION_FAILED'),
    );
    expect(all.slice(names.length).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  });
});
