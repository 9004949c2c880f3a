import { describe, expect, it } from '@jest/globals';

interface Spec {
  readonly project: string;
  readonly path: string;
  readonly seconds: number;
  readonly failed: readonly string[];
}

interface Part {
  readonly label: string;
  readonly seconds: number;
  readonly specs: readonly Spec[];
  readonly failed: number;
}

// Scripts run before anything is built, so they have no types.
const script: string = '../../scripts/test-summary.mjs';
const { summaryOf } = (await import(script)) as {
  summaryOf: (parts: readonly Part[], seconds: number) => readonly string[];
};

const spec = (path: string, seconds: number, ...failed: string[]): Spec => {
  return { project: 'unit', path, seconds, failed };
};

describe('the summary of a run', () => {
  it('lists the parts, and of their specs the ten slowest', () => {
    const specs = Array.from({ length: 12 }, (_, n) => spec(`${n}.spec.ts`, n));
    const parts = [
      { label: 'lint', seconds: 9.94, specs: [], failed: 0 },
      { label: 'unit', seconds: 70, specs, failed: 0 },
    ];
    expect(summaryOf(parts, 72.4)).toEqual([
      '72 s in all',
      '   9.9 s  lint',
      '    70 s  unit',
      'slowest specs:',
      '    11 s  unit 11.spec.ts',
      '    10 s  unit 10.spec.ts',
      ...[9, 8, 7, 6, 5, 4, 3, 2].map((n) => `   ${n}.0 s  unit ${n}.spec.ts`),
    ]);
  });

  it('ends with a command for every spec and every check that failed', () => {
    const specs = [spec('a.spec.ts', 1, 'it holds', 'it ends'), spec('b.spec.ts', 1)];
    const parts = [
      { label: 'lint', seconds: 1, specs: [], failed: 1 },
      { label: 'unit', seconds: 2, specs, failed: 2 },
      { label: 'e2e crashes', seconds: 2, specs: [], failed: 1 },
    ];
    expect(summaryOf(parts, 5).slice(-6)).toEqual([
      'failed, each with the command that repeats it:',
      '  npm test -- lint',
      '  npm test -- unit a.spec.ts',
      '    it holds',
      '    it ends',
      '  npm test -- e2e',
    ]);
  });
});
