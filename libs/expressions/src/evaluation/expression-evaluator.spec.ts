import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as fc from 'fast-check';
import type { AnswerKind, JsonObject, JsonValue, QuestionMember, Scene } from '#core';
import { ManualClock } from '#testing';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../../test/fuzz/budget.js';
import { EvaluatorUnavailable } from '#ports';
import { ExpressionEvaluator } from './expression-evaluator.js';

const SCENE: Scene = {
  parameters: {
    region: 'eu',
    hosts: [
      { name: 'a', cpu: 1 },
      { name: 'b', cpu: 4 },
    ],
    long: `${'a'.repeat(60)}!`,
    big: Array.from({ length: 10_001 }, (_, index) => index),
    own: JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}') as JsonValue,
  },
  input: { region: 'us' },
  steps: { create: { id: 7 }, 'make-it': { ok: true } },
  states: { create: 'succeeded' },
  task: { id: 't-1', flow: 'f', version: 3, labels: { team: 'x' }, createdAt: 1_700_000_000 },
  index: 2,
  now: Date.UTC(2030, 0, 31, 8, 0, 0),
};

const evaluator = new ExpressionEvaluator({ clock: new ManualClock(), env: { REGION: 'north' } });

afterAll(() => evaluator.close());

async function ask(template: JsonValue, as: AnswerKind = 'json', scene = SCENE): Promise<unknown> {
  const answer = await evaluator.answer({ members: [{ name: 'm', template, as }], scene });
  return 'fault' in answer ? answer.fault : answer.values['m'];
}

function reasonMatching(pattern: RegExp): unknown {
  return expect.objectContaining({ member: 'm', reason: expect.stringMatching(pattern) });
}

describe('an expression sees', () => {
  it.each<[string, JsonValue]>([
    ['$.region', 'eu'],
    ['region & $input.region', 'euus'],
    ['hosts[cpu > 2].name', 'b'],
    ['$steps.create.id + 1', 8],
    ['$steps.`make-it`.ok', true],
    ['$state("create")', 'succeeded'],
    ['$state("other")', null],
    ['$state("toString")', null],
    ['$task', { ...SCENE.task }],
    ['$index', 2],
    ['$env.REGION', 'north'],
    ['$env.PATH', null],
    ['$now()', '2030-01-31T08:00:00.000Z'],
    ['$now("[H01]:[m01]", "+0100")', '09:00'],
    ['$toMillis("09:00", "[H01]:[m01]")', SCENE.now + 3_600_000],
    ['$toMillis("2030-01-31T08:00:00")', SCENE.now],
    ['$keys(own)', ['__proto__', 'constructor']],
    ['missing', null],
    ['missing.constructor', null],
    ['$string.constructor', null],
    ['region.length', null],
    ['/a/("cab").start', 1],
    ['$base64decode($base64encode("p\u00e4\u00ff"))', 'p\u00e4\u00ff'],
    ['$base64encode(missing)', null],
  ])('{%% %s %%}', async (code, value) => {
    expect(await ask(`{% ${code} %}`)).toEqual(value);
  });

  it('no `$index` outside of loops and lists', async () => {
    const index = async (code: string, of: number | null) =>
      ask(`{% ${code} %}`, 'json', { ...SCENE, index: of });
    expect(await index('$exists($index)', 0)).toBe(true);
    expect(await index('$exists($index)', null)).toBe(false);
    expect(await index('$index', null)).toBeNull();
  });

  it('members of its own only, whatever they are called', async () => {
    const own = (await ask('{% own %}')) as object;
    expect(Object.entries(own)).toEqual([
      ['__proto__', { x: 1 }],
      ['constructor', 2],
    ]);
  });
});

describe('the name of a member stays what it is', () => {
  const parameters: JsonObject = { zq: 1, '\n': 2, in: { 'a\nb': 3 } };

  it.each<[string, JsonObject]>([
    ['$', parameters],
    ['$clone($)', parameters],
    ['$ ~> |in|{"more": 1}|', { ...parameters, in: { 'a\nb': 3, more: 1 } }],
  ])('in %s, after others at its place', async (expression, value) => {
    const others = { zq: [], '\\': 0, in: { 'a\\n': 0 } };
    await ask(`{% ${expression} %}`, 'json', { ...SCENE, parameters: others });
    expect(await ask(`{% ${expression} %}`, 'json', { ...SCENE, parameters })).toEqual(value);
  });
});

describe('the items of a step with child tasks', () => {
  const fleet = Array.from({ length: 100_001 }, (_, index) => index);
  const scene: Scene = { ...SCENE, parameters: { ...SCENE.parameters, fleet } };

  it.each([
    ['big', 10_001],
    ['[1..100000]', 100_000],
    ['$append(big, [1..89999])', 100_000],
  ])('%s may be as many as child tasks', async (code, count) => {
    expect(await ask(`{% ${code} %}`, 'items', scene)).toHaveLength(count);
  });

  it.each([
    ['fleet', /its result has more than 100000 elements/],
    ['[1..100001]', /a list gets more than 100000 elements/],
    ['region', /a text, not to a list/],
  ])('%s are refused', async (code, reason) => {
    expect(await ask(`{% ${code} %}`, 'items', scene)).toEqual(reasonMatching(reason));
  });

  it.each([['list'], ['json']] as const)('are more than a %s may have', async (as) => {
    expect(await ask('{% [1..10000] %}', as)).toHaveLength(10_000);
    expect(await ask('{% [1..10001] %}', as)).toEqual(reasonMatching(/more than 10000 elements/));
  });

  it('are a list where one was picked, or none', async () => {
    expect(await ask('{% hosts[cpu > 2].name %}', 'items')).toEqual(['b']);
    expect(await ask('{% hosts[cpu > 9].name %}', 'items')).toEqual([]);
  });

  it('have their bound for themselves', async () => {
    const members: QuestionMember[] = [
      { name: 'in', template: '{% [1..10001] %}', as: 'items' },
      { name: 'flow', template: '{% $string($count([1..10001])) %}', as: 'text' },
    ];
    const answer = await evaluator.answer({ members, scene: SCENE });
    expect(answer).toMatchObject({
      fault: { member: 'flow', reason: expect.stringMatching(/10000/) },
    });
  });
});

describe('a member comes out as it is wanted', () => {
  it.each<[AnswerKind, JsonValue, unknown]>([
    ['json', { a: ['{% region %}', 'x', { b: '{% $index %}' }] }, { a: ['eu', 'x', { b: 2 }] }],
    ['json', '{% "a" = "b" %}', false],
    ['flag', '{% region = "eu" %}', true],
    ['flag', '{% region %}', reasonMatching(/^it comes to a text, not to true or false$/)],
    ['gate', '{% missing %}', reasonMatching(/nothing, not to true or false/)],
    ['text', '{% region %}', 'eu'],
    ['text', '{% 5 %}', reasonMatching(/comes to 5, not to a text/)],
    ['object', '{% {"a": 1} %}', { a: 1 }],
    ['object', { a: '{% 1 %}', b: 2 }, { a: 1, b: 2 }],
    ['object', '{% [1, 2] %}', reasonMatching(/a list, not to an object/)],
    ['duration', '{% 1.5 %}', 1_500],
    ['duration', '{% $string(2) & "m" %}', 120_000],
    ['duration', '{% "soon" %}', reasonMatching(/as a duration not a duration: write 500ms/)],
    ['duration', '{% -1 %}', reasonMatching(/duration/)],
    ['duration', '{% true %}', reasonMatching(/not to a duration/)],
    ['moment', '{% 1.5 %}', 1_500],
    ['moment', '{% $now() %}', SCENE.now],
    ['moment', '{% "2030-01-31" %}', Date.UTC(2030, 0, 31)],
    ['moment', '{% "2030-01-31T08:00+02:00" %}', Date.UTC(2030, 0, 31, 6)],
    ['moment', '{% "2030-01-31T08:00:00" %}', reasonMatching(/a moment: write seconds since/)],
    ['moment', '{% "2030-13-31T08:00:00Z" %}', reasonMatching(/a moment/)],
    ['moment', '{% "2030-02-31" %}', reasonMatching(/a moment/)],
    ['moment', '{% -1 %}', reasonMatching(/a moment/)],
    ['moment', '{% $toMillis($now()) %}', reasonMatching(/a moment: write seconds since/)],
    ['first', ['{% false %}', false, '{% $index = 2 %}', '{% 1 %}'], 2],
    ['first', [false, '{% false %}'], 2],
    [
      'first',
      [false, '{% region %}'],
      expect.objectContaining({ member: 'm/1', reason: expect.stringMatching(/true or false/) }),
    ],
  ])('%s %j', async (as, template, value) => {
    expect(await ask(template, as)).toEqual(value);
  });

  it('and members behind a gate that is shut have no value', async () => {
    const members: QuestionMember[] = [
      { name: 'if', template: '{% $index > 5 %}', as: 'gate' },
      { name: 'parameters', template: '{% $error("asked") %}', as: 'object' },
    ];
    expect(await evaluator.answer({ members, scene: SCENE })).toEqual({ values: { if: false } });
  });

  it.each([
    ['duration', 5_000],
    ['moment', 5_000],
    ['gate', true],
  ] as const)('but a literal %s beside an expression stays as it is', async (as, template) => {
    const members: QuestionMember[] = [
      { name: 'a', template, as },
      { name: 'b', template: '{% 1 %}', as: 'json' },
    ];
    const answer = await evaluator.answer({ members, scene: SCENE });
    expect(answer).toEqual({ values: { a: template, b: 1 } });
  });
});

describe('a list comes out as it is wanted', () => {
  it.each<[AnswerKind, JsonValue, unknown]>([
    ['list', '{% hosts.name %}', ['a', 'b']],
    ['list', '{% hosts[cpu > 2].name %}', ['b']],
    ['list', '{% hosts[cpu > 9].name %}', []],
    ['list', '{% hosts[cpu > 2].name.missing %}', []],
    ['list', '{% [] %}', []],
    ['list', '{% [].name %}', []],
    ['list', '{% hosts.missing %}', []],
    ['list', '{% $filter(hosts, function($host) { $host.cpu > 9 }) %}', []],
    ['list', '{% missing %}', reasonMatching(/^it comes to nothing, not to a list$/)],
    ['list', '{% $input.missing %}', reasonMatching(/nothing, not to a list/)],
    ['list', '{% $steps.missing.hosts %}', reasonMatching(/nothing, not to a list/)],
    ['list', '{% null %}', reasonMatching(/nothing, not to a list/)],
    ['list', '{% region %}', reasonMatching(/a text, not to a list/)],
    ['list', '{% 5 %}', reasonMatching(/5, not to a list/)],
    ['list', '{% {"a": 1} %}', reasonMatching(/an object, not to a list/)],
    ['list', ['{% region %}', 1], ['eu', 1]],
  ])('%s %j', async (as, template, value) => {
    expect(await ask(template, as)).toEqual(value);
  });
});

describe('an expression fails', () => {
  it.each<[string, number | null, RegExp]>([
    ['region + 1', 10, /left side of the "\+" operator must evaluate to a number/],
    ['$nope', 3, /nothing is known as \$nope/],
    ['$random()', 3, /\$random is not there/],
    ['$error("too " & "small")', 10, /^too small$/],
    ['$assert(false, "no")', 11, /^no$/],
    ['$sum', null, /a function, which is no value/],
    ['{"a": function(){1}}', null, /a function/],
    ['$power(10, 300) * $power(10, 300)', null, /a number that JSON has not/],
    ['big', null, /its result has more than 10000 elements/],
    ['[1..10001]', 5, /a list gets more than 10000 elements/],
    ['$map([1..200], function(){[1..200]})', null, /10000 elements/],
    ['($f := function($s){$f([$s])}; $f(1))', null, /ms$|inside each other/],
    ['$state(1)', null, /the name of a step/],
    ['$base64encode("pa\u20ac")', null, /takes no characters beyond U\+00FF/],
  ])('{%% %s %%}', async (code, position, reason) => {
    expect(await ask(`{% ${code} %}`)).toMatchObject({
      member: 'm',
      position,
      reason: expect.stringMatching(reason),
    });
  });

  it('with the place in its member', async () => {
    const failed = await ask({ a: ['{% 1 %}', '{% $error("x") %}'] });
    expect(failed).toMatchObject({ member: 'm/a/1', reason: 'x' });
  });
});

describe('an expression that takes too much', () => {
  const grow = '$f := function($s, $n) { $n = 0 ? $s : $f($s & $s, $n - 1) }';

  it.each<[string, string, RegExp]>([
    ['an endless loop', '($f := function($n) { $f($n + 1) }; $f(0))', /longer than 200 ms/],
    ['an endless recursion', '($f := function($n) { $f($n + 1) + 1 }; $f(0))', /inside each other/],
    ['a pattern that never ends', '$match(long, /^(a+)+$/)', /longer than 200 ms/],
    ['one call that never ends', '$length($pad("a", 500000000))', /200 ms|64 MiB/],
    ['one text that is too large', `(${grow}; $base64encode($f("aaaaaaaa", 25)))`, /MiB|200 ms/],
    ['a large result', `(${grow}; $f("aaaaaaaa", 20))`, /larger than a task/],
    ['lists of lists', '$map([1..10000], function() { [1..10000] })', /200 ms|64 MiB/],
    ['a sort without end', '$sort([1..10000], function() { true })', /200 ms|64 MiB/],
  ])('is ended, and the next one is answered: %s', async (_name, code, reason) => {
    const [hostile, good] = await Promise.all([ask(`{% ${code} %}`), ask('{% 1 + 1 %}')]);
    expect(hostile).toEqual(reasonMatching(reason));
    expect(good).toBe(2);
  });

  it('is told by its place among many', async () => {
    const template = { a: '{% 1 %}', b: ['{% $match(long, /^(a+)+$/) %}'], c: '{% 1 %}' };
    expect(await ask(template)).toMatchObject({ member: 'm/b/0', position: null });
  });
});

describe('what is literal', () => {
  it(
    'comes back unchanged, without a process',
    async () => {
      const none = new URL('data:text/javascript,process.exit(7)');
      const plain = new ExpressionEvaluator({ clock: new ManualClock(), workerUrl: none });
      const property = fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (value) => {
        const template = value as JsonValue;
        const members: QuestionMember[] = [{ name: 'm', template, as: 'json' }];
        const answer = await plain.answer({ members, scene: SCENE });
        expect(answer).toEqual({ values: { m: template } });
      });
      await fc.assert(property, fuzzBudget(300));
      await plain.close();
    },
    FUZZ_TIMEOUT_MS,
  );

  it(
    'comes back unchanged beside an expression',
    async () => {
      const property = fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (value) => {
        expect(await ask([value as JsonValue, '{% 1 %}'])).toEqual([value, 1]);
      });
      await fc.assert(property, fuzzBudget(100));
    },
    FUZZ_TIMEOUT_MS,
  );
});

describe('the processes', () => {
  const question = {
    members: [{ name: 'm', template: '{% 1 %}', as: 'json' }],
    scene: SCENE,
  } as const;
  let clock: ManualClock;
  let folder: string;
  let own: ExpressionEvaluator | null = null;

  function withCode(code: string): ExpressionEvaluator {
    const file = path.join(folder, 'worker.mjs');
    writeFileSync(file, code);
    own = new ExpressionEvaluator({ clock, workerUrl: pathToFileURL(file) });
    return own;
  }

  beforeEach(() => {
    clock = new ManualClock();
    folder = mkdtempSync(path.join(tmpdir(), 'backstep-expressions-'));
  });

  afterEach(async () => {
    await own?.close();
    rmSync(folder, { recursive: true });
  });

  it('that cannot start are no fault of an expression', async () => {
    await expect(withCode('process.exit(7)').answer(question)).rejects.toThrow(
      new EvaluatorUnavailable('expressions: it ended with 7'),
    );
  });

  it('that are killed from outside are no fault of an expression either', async () => {
    const code = `process.on('message', () => process.kill(process.pid, 'SIGKILL'));
      process.send({ kind: 'ready' });`;
    await expect(withCode(code).answer(question)).rejects.toThrow(EvaluatorUnavailable);
  });

  it('that are busy are no hindrance to what others ask', async () => {
    const code = `process.on('message', ({ question }) => {
        if (question.members[0].name === 'm') process.send({ kind: 'answer', answer: { values: {} } });
      });
      process.send({ kind: 'ready' });`;
    const evaluator = withCode(code);
    const endless = { ...question, members: [{ ...question.members[0], name: 'endless' }] };
    const refused = Promise.allSettled([evaluator.answer(endless), evaluator.answer(endless)]);
    for (let turn = 0; turn < 20; turn += 1) {
      expect(await evaluator.answer(question)).toEqual({ values: {} });
    }
    await evaluator.close();
    expect(await refused).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  });

  it('that have nothing to do for a minute end, and start again when they are needed', async () => {
    const code = `process.on('message', () => {
        process.send({ kind: 'answer', answer: { values: { pid: process.pid } } });
      });
      process.send({ kind: 'ready' });`;
    const evaluator = withCode(code);
    const pids = new Set<unknown>();
    for (let turn = 0; turn < 10; turn += 1)
      pids.add(JSON.stringify(await evaluator.answer(question)));
    await clock.advance(60_001);
    expect(pids.has(JSON.stringify(await evaluator.answer(question)))).toBe(false);
  });

  it('that never answer are given up', async () => {
    const code = `process.on('message', () => process.send({ kind: 'at', place: 'm' }));
      process.send({ kind: 'ready' });`;
    const answering = withCode(code).answer(question);
    const refused = expect(answering).rejects.toThrow('it does not answer');
    await clock.advance(30_001);
    await refused;
  });

  it('refuse what waits when they are closed, and what comes later', async () => {
    const evaluator = withCode('setInterval(() => undefined, 1000)');
    const outcome = Promise.allSettled([evaluator.answer(question)]);
    await Promise.all([evaluator.close(), evaluator.close()]);
    expect(await outcome).toMatchObject([{ reason: expect.any(EvaluatorUnavailable) }]);
    await expect(evaluator.answer(question)).rejects.toThrow(EvaluatorUnavailable);
  });

  it('know no variable of the process that asks, and make no code of texts', async () => {
    const code = `process.on('message', () => {
        let made = true;
        try { new Function('return 1')(); } catch { made = false; }
        const known = Object.keys(process.env).filter((name) => name !== 'NODE_CHANNEL_FD');
        process.send({ kind: 'answer', answer: { values: { known, made } } });
      });
      process.send({ kind: 'ready' });`;
    const answer = await withCode(code).answer(question);
    expect(answer).toEqual({ values: { known: ['TZ'], made: false } });
  });

  /** Runs a module in a process that has nothing else to do: its exit code and its output. */
  async function alone(code: string): Promise<readonly [number, string]> {
    const library = new URL('../../../../dist/libs/expressions/src/index.js', import.meta.url);
    const machine = new URL('../../../../dist/libs/machine/src/index.js', import.meta.url);
    const imports = `
      import { ExpressionEvaluator } from '${library.href}';
      import { SystemClock } from '${machine.href}';
      const clock = new SystemClock();`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', `${imports}${code}`]);
    const output: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    const [exit] = (await once(child, 'close')) as [number];
    return [exit, String(Buffer.concat(output)).trim()];
  }

  it('keep no process that has nothing else to do', async () => {
    const code = `
      const evaluator = new ExpressionEvaluator({ clock });
      console.log(JSON.stringify(await evaluator.answer(${JSON.stringify(question)})));`;
    expect(await alone(code)).toEqual([0, '{"values":{"m":1}}']);
  });

  it('are waited for when they are closed, though they say then that they are ready', async () => {
    const worker = path.join(folder, 'worker.mjs');
    const isReady = path.join(folder, 'ready-');
    const says = `process.send({ kind: 'ready' }, () => {
        writeFileSync(${JSON.stringify(isReady)} + process.pid, '');
      });`;
    writeFileSync(
      worker,
      `import { writeFileSync } from 'node:fs'; ${says} process.on('message', () => undefined);`,
    );
    // It hears nothing until both have said it, and has them ended before it hears that.
    const code = `
      import { readdirSync } from 'node:fs';
      const workerUrl = new URL(${JSON.stringify(pathToFileURL(worker).href)});
      const evaluator = new ExpressionEvaluator({ clock, workerUrl });
      const refused = evaluator.answer(${JSON.stringify(question)}).catch(({ message }) => message);
      const nothing = new Int32Array(new SharedArrayBuffer(4));
      while (readdirSync(${JSON.stringify(folder)}).length < 3) Atomics.wait(nothing, 0, 0, 5);
      await evaluator.close();
      console.log(await refused);`;
    expect(await alone(code)).toEqual([0, 'expressions: closed']);
  });
});
