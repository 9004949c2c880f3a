import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { fuzzBudget } from '../../../test/fuzz/budget.js';
import { FairLine } from './fair-line.js';

function lineOf(entries: readonly (readonly [asker: string, entry: number])[]) {
  const line = new FairLine<string, number>();
  for (const [asker, entry] of entries) line.add(asker, entry);
  return line;
}

function drain(line: FairLine<string, number>): number[] {
  const taken: number[] = [];
  for (let next = line.next(); next !== undefined; next = line.next()) taken.push(next);
  return taken;
}

const CROWD = [
  ['a', 1],
  ['a', 2],
  ['a', 3],
  ['b', 4],
  ['c', 5],
] as const;

describe('a fair line', () => {
  it('goes turn by turn over askers', () => {
    expect(drain(lineOf(CROWD))).toEqual([1, 4, 5, 2, 3]);
  });

  it('passes over those who may not have a turn, who keep their place', () => {
    const line = lineOf(CROWD);
    expect(line.next((asker) => asker !== 'a')).toBe(4);
    expect(line.next(() => false)).toBeUndefined();
    expect(drain(line)).toEqual([1, 5, 2, 3]);
  });

  it('lets entries go that nobody waits for any more', () => {
    const line = lineOf(CROWD);
    expect([line.remove('a', 2), line.remove('a', 2), line.remove('x', 1)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(line.removeAllOf('b')).toEqual([4]);
    expect([line.size, line.sizeOf('a'), line.sizeOf('b')]).toEqual([3, 2, 0]);
    expect(line.removeAll()).toEqual([1, 3, 5]);
    expect([line.size, line.next()]).toEqual([0, undefined]);
  });

  it('loses the newest entry of whoever has the most', () => {
    const line = lineOf(CROWD);
    expect([line.removeFromLongest(), line.removeFromLongest()]).toEqual([3, 2]);
    expect(lineOf([]).removeFromLongest()).toBeUndefined();
  });

  it('has nobody wait for more than one entry of each other asker before each of his own', () => {
    const some = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 });
    const property = fc.property(some, (askers) => {
      const order = drain(lineOf(askers.map((asker, entry) => [asker, entry] as const)));
      expect([...order].sort((one, other) => one - other)).toEqual([...askers.keys()]);
      const owners = order.map((entry) => askers[entry]!);
      for (const asker of new Set(owners)) {
        const own = [...owners.keys()].filter((place) => owners[place] === asker);
        own.forEach((place, turn) => {
          const begin = turn === 0 ? 0 : own[turn - 1]! + 1;
          const between = owners.slice(begin, place);
          expect(new Set(between).size).toBe(between.length);
        });
        expect(own.map((place) => order[place])).toEqual(
          [...askers.keys()].filter((entry) => askers[entry] === asker),
        );
      }
    });
    fc.assert(property, fuzzBudget(300));
  });
});
