import { expect, it } from '@jest/globals';
import { checkAuditEntry } from './process-form.js';

const anchor = { seq: 1, hash: 'a', unsigned: 1, kept: 1, signature: 's' };
const entry = {
  seq: 2,
  at: 1,
  actor: 'ci',
  keyId: null,
  operation: 'REMOVE /v1/audit',
  target: '/v1/audit',
  status: 200,
  reason: null,
  requestId: 'r',
  anchor,
  prev: 'a',
  hash: 'b',
};

it('an entry of the audit log has no members that its hash is not over', () => {
  expect(checkAuditEntry(entry)).toBe(entry);
  for (const wrong of [
    { ...entry, note: 'x' },
    { ...entry, anchor: { ...anchor, note: 'x' } },
  ]) {
    expect(() => checkAuditEntry(wrong)).toThrow('it has a member of its own');
  }
});
