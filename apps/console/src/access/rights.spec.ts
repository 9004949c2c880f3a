import { describe, expect, it } from '@jest/globals';
import { hasRightsOf, type Role, rulesAll } from './rights.js';

const WANTED: readonly Role[] = ['viewer', 'starter', 'operator', 'author', 'admin'];

describe('the rights of somebody', () => {
  it('are those that the server names, whatever the role is called', () => {
    const may = ['viewer', 'operator', 'auditor'];
    expect(WANTED.filter((wanted) => hasRightsOf({ may }, wanted))).toEqual(['viewer', 'operator']);
    expect(WANTED.filter((wanted) => hasRightsOf({ may: [] }, wanted))).toEqual([]);
  });

  it('are over everything for an admin without limits alone', () => {
    const admin = { may: [...WANTED], seesEverything: true };
    expect(rulesAll(admin)).toBe(true);
    expect(rulesAll({ ...admin, seesEverything: false })).toBe(false);
    expect(rulesAll({ ...admin, may: ['viewer', 'author'] })).toBe(false);
  });
});
