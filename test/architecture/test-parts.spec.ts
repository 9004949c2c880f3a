import { describe, expect, it } from '@jest/globals';
import {
  ALL,
  CHECKS,
  E2E_GROUPS,
  gateOf,
  jestArgsOf,
  PROJECTS,
  QUICK,
  type Run,
  TURNS,
} from '../gate/parts.js';
import { readPaths, readSourceTree } from './source-tree.js';

const SPECS = readPaths().filter((file) => file.endsWith('.e2e-spec.ts'));
const PATTERNS = Object.entries(E2E_GROUPS).map(([name, [argument = '']]) => {
  return [name, new RegExp(argument.replace('--testPathPatterns=', ''))] as const;
});

/** By what the share of a project names its specs, or those that it leaves out. */
function patternOf(label: string): RegExp {
  const argument = jestArgsOf(label).find((one) => one.startsWith('--testPath'))!;
  return new RegExp(argument.slice(argument.indexOf('=') + 1));
}

/** A spec that compares times. */
const TIMED = /^import .*\/linear-time\.js'/m;

const partsOf = ({ alone, background, lanes }: Run) => [...lanes.flat(), ...background, ...alone];

/** The slices of each part that run: all of it at once is slice 1 of 1. */
function slicesOf(labels: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const slices: Record<string, string[]> = {};
  for (const label of labels) {
    const [, part = '', slice = '1/1'] = /^(.*?)(?: (\d+\/\d+))?$/.exec(label) ?? [];
    (slices[part] ??= []).push(slice);
  }
  return slices;
}

it('every spec of e2e is in one group', () => {
  const groups = SPECS.map((file) => {
    const path = `/somewhere/${file}`;
    return [file, PATTERNS.filter(([, pattern]) => pattern.test(path)).length];
  });
  expect(groups.filter(([, count]) => count !== 1)).toEqual([]);
});

it.each(Object.keys(E2E_GROUPS))('the group %s has specs', (name) => {
  const pattern = new Map(PATTERNS).get(name)!;
  expect(SPECS.filter((file) => pattern.test(`/somewhere/${file}`))).not.toEqual([]);
});

it('all runs every part once, and every slice of those that are cut', () => {
  const shares: Record<string, readonly string[]> = {
    e2e: Object.keys(E2E_GROUPS),
    unit: ['others', 'measures'],
  };
  const all = [...Object.keys(CHECKS), ...Object.keys(PROJECTS)].flatMap((part) => {
    return shares[part]?.map((share) => `${part} ${share}`) ?? [part];
  });
  const slices = slicesOf(partsOf(ALL).filter((label) => !label.includes(' on ')));
  expect(Object.keys(slices).sort()).toEqual([...all].sort());
  for (const found of Object.values(slices)) {
    expect(found).toEqual(found.map((_, index) => `${index + 1}/${found.length}`));
  }
});

it('what compares times runs when nothing else does', () => {
  const timed = readSourceTree()
    .filter(({ path, text }) => path.endsWith('.spec.ts') && TIMED.test(text))
    .map(({ path }) => path);
  const pattern = patternOf('unit measures');
  expect(ALL.alone).toContain('unit measures');
  expect(gateOf(0).alone).toContain('unit measures');
  expect(timed).not.toEqual([]);
  expect(timed.filter((file) => !pattern.test(`/${file}`))).toEqual([]);
  const left = jestArgsOf('unit others')[0]!.replace('--testPathIgnorePatterns=', '');
  expect(left).toBe(pattern.source.replaceAll('\\/', '/'));
});

it('jest is asked for the slice, of the specs of the group', () => {
  expect(jestArgsOf('e2e others 2/8')).toEqual(
    expect.arrayContaining(['--shard=2/8', ...E2E_GROUPS['others']!]),
  );
});

describe('on other versions of Node', () => {
  const majors = [20, 22, 24, 26].filter((major) => !process.version.startsWith(`v${major}.`));
  const onOthers = (run: Run) => partsOf(run).filter((label) => label.includes(' on '));

  it('all runs the quick specs and a walk through each deployment on each, and on the other broker', () => {
    const nodes = majors.flatMap((major) => [`unit quick on ${major}`, `e2e walk on ${major}`]);
    const wanted = [...nodes, 'contract broker on rabbitmq-4', 'e2e walk on rabbitmq-4'];
    expect(onOthers(ALL).toSorted()).toEqual(wanted.toSorted());
  });

  it('the gate runs a share of these on one, and comes to each share on each', () => {
    const length = 7 * majors.length;
    const shares = Array.from({ length }, (_, turn) => onOthers(gateOf(turn)).join());
    const wanted = majors.flatMap((major) =>
      [1, 2, 3, 4, 5, 6, 7].map((n) => `e2e walk on ${major},unit quick ${n}/7 on ${major}`),
    );
    expect(shares.toSorted()).toEqual(wanted.toSorted());
  });

  it('jest is asked for the same specs as on this one', () => {
    expect(jestArgsOf('unit quick 1/4 on 24')).toEqual(jestArgsOf('unit quick 1/4'));
    expect(patternOf('e2e walk').test('test/e2e/contract.e2e-spec.ts')).toBe(true);
  });
});

describe('the gate', () => {
  const specsOf = (label: string): readonly string[] => {
    return SPECS.filter((file) => patternOf(label).test(`/somewhere/${file}`));
  };

  it('runs every check, and every spec that is neither of e2e nor slow nor of trouble', () => {
    const wanted = ['contract quick', 'architecture', ...Object.keys(CHECKS)];
    const slices = slicesOf(partsOf(gateOf(0)));
    expect(Object.keys(slices)).toEqual(expect.arrayContaining(wanted));
    expect(slices['unit quick']).toEqual(['1/3', '2/3', '3/3']);
  });

  it('runs each spec of e2e always or in its turn, but what measures and what is for a night', () => {
    const shares = ['always', 'surface', 'simulation', 'turn', 'measures', 'night'].map(
      (name) => `e2e ${name}`,
    );
    expect(shares.flatMap(specsOf).toSorted()).toEqual(SPECS.toSorted());
  });

  it('comes to every turn', () => {
    const turns = Array.from({ length: TURNS }, (_, turn) => partsOf(gateOf(turn)));
    const labels = turns.map((parts) => parts.find((label) => label.startsWith('e2e turn ')));
    expect(labels).toEqual(labels.map((_, index) => `e2e turn ${index + 1}/${TURNS}`));
    const slow = turns.map((parts) => parts.find((label) => label.startsWith('unit slow ')));
    expect(slow.slice(0, 7)).toEqual([1, 2, 3, 4, 5, 6, 7].map((turn) => `unit slow ${turn}/7`));
    for (const [part, count] of [
      ['e2e surface', 5],
      ['contract trouble', 4],
    ] as const) {
      const parts = turns.map((all) => all.find((label) => label.startsWith(part)));
      const wanted = Array.from({ length: count }, (_, n) => `${part} ${n + 1}/${count}`);
      expect(parts.slice(0, count)).toEqual(wanted);
    }
    // The first turn that all of these numbers divide.
    expect(partsOf(gateOf(10 * TURNS))).toEqual(turns[0]);
  });

  it.each(['always', 'surface'])('has specs that there are in what it runs %s', (share) => {
    const names = /e2e\\\/\(([^)]+)\)/.exec(patternOf(`e2e ${share}`).source)![1]!.split('|');
    const paths = names.map((name) => `test/e2e/${name}.e2e-spec.ts`);
    expect(paths.filter((path) => !SPECS.includes(path))).toEqual([]);
  });

  it('leaves out of contract what it plays in turn', () => {
    const all = readPaths().filter((file) => file.endsWith('.contract-spec.ts'));
    const trouble = all.filter((file) => patternOf('contract trouble').test(`/${file}`));
    const left = all.filter((file) => patternOf('contract quick').test(`/${file}`));
    expect([trouble.length, left]).toEqual([9, trouble]);
  });
});

describe('the quick run', () => {
  const UNIT = readPaths().filter((file) => /(?<!-)\.spec\.ts$/.test(file));

  it('has parts that there are', () => {
    const known = [...Object.keys(CHECKS), ...Object.keys(PROJECTS)];
    expect(partsOf(QUICK).filter((label) => !known.includes(label.split(' ')[0]!))).toEqual([]);
  });

  it('leaves to the slow ones what it leaves out, but for what measures', () => {
    const [left, slow, measures] = ['quick', 'slow', 'measures'].map((name) => {
      return UNIT.filter((file) => patternOf(`unit ${name}`).test(`/${file}`));
    });
    expect([...slow!, ...measures!].toSorted()).toEqual(left!.toSorted());
  });

  it('leaves out few specs of unit', () => {
    const left = UNIT.filter((file) => patternOf('unit quick').test(file));
    expect(left).not.toEqual([]);
    expect(left.length).toBeLessThan(UNIT.length / 10);
  });

  it('tries one deployment', () => {
    expect(SPECS.filter((file) => patternOf('e2e smoke').test(`/somewhere/${file}`))).toEqual([
      'test/e2e/standalone.e2e-spec.ts',
    ]);
  });
});
