import { describe, expect, it } from '@jest/globals';
import { foldable } from './folding.js';
import { layout } from './graph-layout.js';
import { flowGraph, type GraphStep } from './graph-model.js';
import { runWords, withRuns } from './runs.js';

const COUNT = 1_000;
const one = (n: number, more: object = {}) => ({
  name: `s${n}`,
  normal: { module: 'm', command: 'c' },
  ...more,
});
const flat = (count: number, more: object = {}): readonly GraphStep[] =>
  flowGraph(Array.from({ length: count }, (_, n) => one(n + 1, more))).steps;

const CHAIN = flat(COUNT);

/** The same steps, of which the n-th is in this state. */
function at(states: Readonly<Record<number, string>>): readonly GraphStep[] {
  return CHAIN.map((step, index) => ({ ...step, state: states[index + 1] ?? 'succeeded' }));
}

function folded(steps: readonly GraphStep[], picked: string | null = null) {
  return withRuns(steps, { isOpen: () => false, picked });
}

const namesOf = (steps: readonly GraphStep[]): readonly string[] => steps.map(({ name }) => name);

describe('runs of a thousand flat steps', () => {
  it('leave the ends and a few entries, in one chain', () => {
    const entries = folded(CHAIN);
    expect(namesOf(entries).slice(3, 8)).toEqual([
      ...['s4', 's5', 'steps 6–104', 'steps 105–203', 'steps 204–302'],
    ]);
    expect(namesOf(entries).slice(-6)).toEqual([
      'steps 897–995',
      's996',
      's997',
      's998',
      's999',
      's1000',
    ]);
    expect(entries).toHaveLength(20);
    const { arrows, boxes } = layout(entries, { direction: 'LR', open: new Set() });
    expect([boxes.length, arrows.length]).toEqual([20, 19]);
  });

  it('hold each step once', () => {
    const held = folded(at({ 500: 'failed' })).flatMap(({ name, run, scopes }) =>
      run === undefined ? [name] : namesOf(scopes.flatMap(({ steps }) => steps)),
    );
    expect(held).toEqual(namesOf(CHAIN));
  });

  it('let be seen what failed, is under way or is picked', () => {
    const entries = namesOf(folded(at({ 500: 'failed', 502: 'running' }), CHAIN[699]?.id));
    expect(entries).toEqual(expect.arrayContaining(['s500', 's501', 's502', 's700']));
    expect(entries).toEqual(expect.arrayContaining(['steps 402–499', 'steps 600–698']));
    expect(entries.length).toBeLessThan(30);
  });

  it('keep what is under way in them where that is much', () => {
    const running = Object.fromEntries(CHAIN.map((_, index) => [index + 1, 'queued']));
    expect(folded(at(running)).length).toBeLessThan(60);
  });

  it('open as they are, with what failed among their steps', () => {
    const steps = at({ 50: 'failed' });
    const [id = ''] = foldable(withRuns(CHAIN, { isOpen: () => true, picked: null }));
    const entries = withRuns(steps, { isOpen: (one) => one === id, picked: null });
    const run = entries.find((entry) => entry.id === id);
    expect(run?.name).toBe('steps 6–104');
    const open = new Set([id, `${id} scope 0`]);
    const { boxes } = layout(entries, { direction: 'LR', open });
    expect(boxes).toHaveLength(20 + 1 + 99);
  });

  it('are of steps side by side too, and of none that are linked otherwise', () => {
    expect(folded(flat(COUNT, { needs: [] }))).toHaveLength(20);
    const comb = Array.from({ length: COUNT }, (_, n) => {
      return one(n + 1, { needs: n % 2 === 0 ? [] : ['s1'] });
    });
    expect(folded(flowGraph(comb).steps)).toHaveLength(COUNT);
  });

  it('are none in a list that is drawn whole', () => {
    expect(folded(flat(150))).toHaveLength(150);
  });
});

it('a run says how its steps fare', () => {
  const [run] = folded(at({ 7: 'skipped' })).filter((entry) => entry.run !== undefined);
  expect(runWords(run as GraphStep, (state) => state)).toBe('98 succeeded, 1 skipped');
});

describe('a loop of many rounds', () => {
  const rounds = (count: number, failed: number): readonly GraphStep[] => {
    const [step] = CHAIN;
    if (step === undefined) throw new Error('there is no step');
    const scopes = Array.from({ length: count }, (_, n) => {
      const state = n + 1 === failed ? 'failed' : 'succeeded';
      const steps = [{ ...step, id: `l#${n + 1}/s`, state }];
      return { title: `round ${n + 1}`, isBack: false, isUndone: false, steps };
    });
    return [{ ...step, id: 'l', name: 'l', kind: 'loop', scopes }];
  };
  const titlesOf = (steps: readonly GraphStep[]) => steps[0]?.scopes.map(({ title }) => title);

  it('draws the last rounds, and those of which something has to be seen', () => {
    expect(titlesOf(folded(rounds(8, 0)))).toHaveLength(8);
    const drawn = folded(rounds(COUNT, 40), 'l#500/s');
    expect(titlesOf(drawn)).toEqual([
      'round 1 – round 39',
      'round 40',
      'round 41 – round 499',
      'round 500',
      'round 501 – round 997',
      'round 998',
      'round 999',
      'round 1000',
    ]);
    expect(foldable(drawn)).toEqual([
      'l',
      ...[39, 499, 997, 998, 999].map((place) => `l scope ${place}`),
    ]);
  });

  it('keeps the fold of a round while others come after it', () => {
    const ids = [COUNT, COUNT + 1].map((count) => foldable(folded(rounds(count, 40)))[1]);
    expect(ids).toEqual(['l scope 39', 'l scope 39']);
  });
});
