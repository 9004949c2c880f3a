import { describe, expect, it } from '@jest/globals';
import { safeHeaders } from './send-problem.js';

describe('the headers of every answer', () => {
  it.each([
    ['https', 'backstep.example', true],
    ['https', 'backstep.example:7070', true],
    ['https', 'localhost:7070', false],
    ['https', '127.0.0.1', false],
    ['https', '[::1]:7070', false],
    ['http', 'backstep.example', false],
  ] as const)('keep browsers to TLS: over %s, by %s, %s', (protocol, host, isKept) => {
    const { 'strict-transport-security': kept, ...others } = safeHeaders({
      headers: { host },
      protocol,
    });
    expect(kept).toBe(isKept ? 'max-age=31536000' : undefined);
    expect(others).toMatchObject({ 'x-content-type-options': 'nosniff' });
  });
});
