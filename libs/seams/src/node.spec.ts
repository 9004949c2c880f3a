import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { REPOSITORY } from '../../../test/stack/index.js';
import { answerOf, collectGarbage, tuningFlagsOf } from './node.js';

/** Prints how often a function is called until V8 has compiled it. */
const COUNT_CALLS = `
  const { compileEarly } = await import(process.argv[1]);
  if (process.argv[2] === 'early') compileEarly();
  const line = 'sum += o.a > 0 ? Math.max(o.a, o.b) : String(o.a).length;';
  const work = new Function('o', 'let sum = 0;' + line.repeat(8) + 'return sum;');
  const statusOf = new Function('work', 'return %GetOptimizationStatus(work)');
  work({ a: 1, b: 2 });
  const first = statusOf(work);
  let calls = 1;
  while (calls < 1e6 && statusOf(work) === first) {
    work({ a: 1, b: 2 });
    calls += 1;
  }
  console.log(calls);
`;
const BUILT = path.join(REPOSITORY, 'dist/libs/seams/src/node.js');
const FLAGS = ['--allow-natives-syntax', '--no-concurrent-recompilation', '--no-sparkplug'];

function callsUntilCompiled(when: 'early' | 'late'): number {
  const args = [...FLAGS, '--input-type=module', '-e', COUNT_CALLS, BUILT, when];
  const { stderr, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  return Number(stdout);
}

it('functions are compiled after less than half of the calls, and nothing is printed', () => {
  expect(callsUntilCompiled('early')).toBeLessThan(callsUntilCompiled('late') / 2);
});

it('garbage is collected when it is asked for', () => {
  const gone = new WeakRef({ size: 1 });
  return new Promise<void>((resolve) => {
    // A reference that was made in this turn holds its target until the turn ends.
    setImmediate(() => {
      collectGarbage();
      expect(gone.deref()).toBeUndefined();
      resolve();
    });
  });
});

it('this version of V8 has the other flags', () => {
  const options = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  expect(options).toContain('--allocation-site-pretenuring (');
  expect(options).toContain('--max-semi-space-size (');
});

it('this version of V8 has the flags', () => {
  const { v8 } = process.versions;
  const early = tuningFlagsOf('early', v8);
  const inlining = tuningFlagsOf('inlining', v8);
  const flags = [...early, ...inlining].map((flag) => flag.replace(/=.*/, ''));
  const options = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  expect(early.length).toBeGreaterThan(0);
  expect(inlining.length > 0).toBe(v8.startsWith('11.'));
  expect(flags.filter((flag) => !options.includes(`  ${flag} (`))).toEqual([]);
});

it.each(['early', 'inlining'] as const)('a version that nobody has tried gets none: %s', (aim) => {
  expect(tuningFlagsOf(aim, '15.0.1')).toEqual([]);
  expect(tuningFlagsOf(aim, '10.2.154')).toEqual([]);
});

it('a connection is being answered from its request to the end of the answer', async () => {
  const server = createServer({ keepAlive: true });
  const asked = once(server, 'request');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sent = request({ port, host: '127.0.0.1' }).end();
  const [{ socket }, answer] = (await asked) as [{ socket: never }, ServerResponse];
  expect(answerOf(socket)).toBe(answer);
  const heard = once(sent, 'response');
  answer.end();
  await once(answer, 'finish');
  expect(answerOf(socket)).toBeNull();
  await heard;
  sent.destroy();
  server.close();
});
