import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { Problem } from '#http-server';
import { fuzzBudget } from '../../../../test/fuzz/budget.js';
import { ARCHIVE_QUERY, COUNT_QUERY, LIST_QUERY } from './list-tasks.query.js';
import { EVENTS_QUERY } from './events.query.js';

const READERS = {
  list: (raw: object) => LIST_QUERY.read(raw).query.labels,
  count: (raw: object) => COUNT_QUERY.read(raw).query.labels,
  archive: (raw: object) => ARCHIVE_QUERY.read(raw).query.labels,
  events: (raw: object) => EVENTS_QUERY.read(raw).interest.filter.labels,
};

function pointersOf(raw: object): readonly string[] {
  try {
    LIST_QUERY.read(raw);
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return (error.errors ?? []).map(({ pointer }) => pointer);
  }
}

const name = fc.string({ minLength: 1, maxLength: 5 }).filter((text) => !text.includes('='));
const labels = fc.dictionary(name, fc.string({ maxLength: 5 }), { minKeys: 1, maxKeys: 5 });

describe.each(Object.entries(READERS))('labels of a request: %s', (_name, read) => {
  it('mean the same in each of the two forms, and mixed', () => {
    const rule = fc.property(labels, fc.infiniteStream(fc.boolean()), (given, isPair) => {
      const pairs: string[] = [];
      const named: Record<string, string> = {};
      for (const [key, value] of Object.entries(given)) {
        if (isPair.next().value) pairs.push(`${key}=${value}`);
        else named[`label.${key}`] = value;
      }
      const label = pairs.length === 1 ? pairs[0] : pairs;
      expect(read(pairs.length === 0 ? named : { ...named, label })).toEqual({ ...given });
    });
    fc.assert(rule, fuzzBudget(200));
  });
});

describe('the parameter `q`', () => {
  it('is refused with two origins, of which no task has both', () => {
    expect(pointersOf({ q: 'operator:ann operator:bo' })).toEqual(['/q']);
    expect(pointersOf({ q: 'operator:ann operator:ann client:10.0.0.7' })).toEqual([]);
  });
});

describe('the parameter `label`', () => {
  it.each([
    ['without a name', '=payments'],
    ['without a value', 'team'],
    ['empty', ''],
  ])('is refused %s', (_case, label) => {
    expect(pointersOf({ label })).toEqual(['/label']);
  });

  it('is refused with two values of one name', () => {
    expect(pointersOf({ label: ['team=a', 'team=b'] })).toEqual(['/label']);
    expect(pointersOf({ label: 'team=a', 'label.team': 'b' })).toEqual(['/label']);
    expect(pointersOf({ label: ['team=a', 'team=a'], 'label.team': 'a' })).toEqual([]);
  });

  it('is refused more often than a task has labels', () => {
    const label = Array.from({ length: 65 }, (_, index) => `l${index}=x`);
    expect(pointersOf({ label })).toEqual(['/label']);
  });
});
