import { describe, expect, it } from '@jest/globals';
import { createdWithin } from './use-found.js';

describe('the time of ids that begin so', () => {
  it('is a moment where all of the time is there', () => {
    expect(createdWithin('01a20ba8-4fa2-71bd')).toEqual({
      createdAfter: '2026-11-24T03:45:09.538Z',
      createdBefore: '2026-11-24T03:45:09.539Z',
    });
  });

  it('is the longer, the less of it is there', () => {
    expect(createdWithin('01A20BA8')).toEqual({
      createdAfter: '2026-11-24T03:44:49.152Z',
      createdBefore: '2026-11-24T03:45:54.688Z',
    });
  });

  it.each(['', '01a2', 'create', 'ffffffffffff'])('is not known of %j', (text) => {
    expect(createdWithin(text)).toBeNull();
  });
});
