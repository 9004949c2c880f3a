import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { REPOSITORY } from '../../../test/stack/index.js';
import { earlyFlagsOf } from './early-code.js';

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
const BUILT = path.join(REPOSITORY, 'dist/libs/machine/src/early-code.js');
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

it('this version of V8 has the flags', () => {
  const flags = earlyFlagsOf(process.versions.v8).map((flag) => flag.replace(/=.*/, ''));
  const options = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  expect(flags.length).toBeGreaterThan(0);
  expect(flags.filter((flag) => !options.includes(`  ${flag} (`))).toEqual([]);
});

it('a version that nobody has tried gets none', () => {
  expect(earlyFlagsOf('15.0.1')).toEqual([]);
  expect(earlyFlagsOf('10.2.154')).toEqual([]);
});
