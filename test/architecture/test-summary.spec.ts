import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { specsToRetry, withRetried } from '../gate/second-try.js';
import { countsOf, type Spec, summaryOf } from '../gate/summary.js';

const spec = (path: string, seconds: number, ...failed: string[]): Spec => {
  return { project: 'e2e', path, seconds, passed: 1, skipped: 0, failed };
};

describe('the summary of a run', () => {
  it('lists the parts, and of their specs the ten slowest', () => {
    const specs = Array.from({ length: 12 }, (_, n) => spec(`${n}.spec.ts`, n));
    const parts = [
      { label: 'lint', seconds: 9.94, specs: [], failed: 0 },
      { label: 'unit', seconds: 70, spent: 31.2, specs, failed: 0 },
    ];
    expect(summaryOf(parts, 72.4)).toEqual([
      '72 s in all',
      '   9.9 s  lint',
      '    70 s  unit (31 s of a processor)',
      'slowest specs:',
      '    11 s  e2e 11.spec.ts',
      '    10 s  e2e 10.spec.ts',
      ...[9, 8, 7, 6, 5, 4, 3, 2].map((n) => `   ${n}.0 s  e2e ${n}.spec.ts`),
    ]);
  });

  it('ends with a command for every spec and every check that failed', () => {
    const specs = [spec('a.spec.ts', 1, 'it holds', 'it ends'), spec('b.spec.ts', 1)];
    const parts = [
      { label: 'lint', seconds: 1, specs: [], failed: 1 },
      { label: 'unit', seconds: 2, specs, failed: 0 },
      { label: 'e2e crashes', seconds: 2, specs: [], failed: 1 },
    ];
    expect(summaryOf(parts, 5).slice(-6)).toEqual([
      'failed, each with the command that repeats it:',
      '  npm test -- lint',
      '  npm test -- e2e a.spec.ts',
      '    it holds',
      '    it ends',
      '  npm test -- e2e',
    ]);
  });
});

describe('a second try', () => {
  const CI = process.env.CI;
  beforeEach(() => {
    process.env.CI = 'true';
  });
  afterEach(() => {
    if (CI === undefined) delete process.env.CI;
    else process.env.CI = CI;
  });
  const few = [spec('a.spec.ts', 1, 'it holds'), spec('b.spec.ts', 1)];
  const many = [1, 2, 3, 4, 5].map((n) => spec(`${n}.spec.ts`, 1, 'it holds'));

  it('is for the failed specs of projects with real servers, in the gate alone', () => {
    expect(specsToRetry('e2e', few)).toEqual(['a.spec.ts']);
    expect(specsToRetry('contract', few)).toEqual(['a.spec.ts']);
    expect(specsToRetry('unit', few)).toEqual(['a.spec.ts']);
    expect(specsToRetry('architecture', few)).toEqual([]);
    delete process.env.CI;
    expect(specsToRetry('e2e', few)).toEqual([]);
  });

  it('is not for a run in which much has failed', () => {
    expect(specsToRetry('e2e', many)).toEqual([]);
  });

  it('counts in place of the first, and tells what failed then', () => {
    const specs = withRetried(few, [spec('a.spec.ts', 2)]);
    const parts = [{ label: 'e2e', seconds: 1, specs, failed: 0 }];
    expect(countsOf(parts)).toEqual({ passed: 2, failed: 0, skipped: 0 });
    expect(summaryOf(parts, 5).slice(-3)).toEqual([
      'flaky, passed in their second try:',
      '  npm test -- e2e a.spec.ts',
      '    it holds',
    ]);
  });

  it('leaves what failed and was no spec, and what others have tried', () => {
    const specs = withRetried(few, [spec('a.spec.ts', 2), spec('c.spec.ts', 1)]);
    expect(specs.map(({ path }) => path)).toEqual(['a.spec.ts', 'b.spec.ts']);
    expect(countsOf([{ specs, failed: 2 }])).toMatchObject({ passed: 2, failed: 2 });
  });

  it('that fails is a failure', () => {
    const specs = withRetried(few, [spec('a.spec.ts', 2, 'it holds')]);
    expect(countsOf([{ specs, failed: 0 }])).toMatchObject({ passed: 2, failed: 1 });
  });
});
