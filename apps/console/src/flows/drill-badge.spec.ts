import { describe, expect, it } from '@jest/globals';
import { drillBadge } from './drill-badge.js';

const DRILL = { version: 2, at: 1, passed: true, failures: 0, total: 33 };
const FAILED = { ...DRILL, passed: false, failures: 3 };

describe('the badge of a drill', () => {
  it.each([
    [DRILL, 2, 'Drilled'],
    [DRILL, 3, 'Drilled at version 2'],
    [FAILED, 2, 'Drill failed: 3 of 33'],
    [FAILED, 3, 'Drill failed: 3 of 33 at version 2'],
    [null, 1, 'Never drilled'],
    [undefined, 1, 'Never drilled'],
  ])('of %j on version %d says: %s', (drill, version, words) => {
    expect(drillBadge(drill, version).words).toBe(words);
  });

  it('tells its kinds apart by more than colour', () => {
    const badges = [drillBadge(DRILL, 2), drillBadge(DRILL, 3), drillBadge(FAILED, 2)];
    const icons = [...badges, drillBadge(null, 1)].map(({ icon }) => icon);
    expect(new Set(icons).size).toBe(4);
  });
});
