import { describe, expect, it } from '@jest/globals';
import { fromColumn, toColumn } from './column-text.js';

describe('texts in columns', () => {
  it.each(['', 'plain', 'é 😀', '\ufffd', '"quoted"'])('leave %j as it is', (text) => {
    expect(toColumn(text)).toBe(text);
    expect(fromColumn(text)).toBe(text);
  });

  it.each(['a\u0000b', '\u0001', '\ud800', 'x\udfffy', '\u0001"a"'])(
    'change %j and back',
    (text) => {
      expect(toColumn(text).startsWith('\u0001"')).toBe(true);
      expect(toColumn(text)).not.toContain('\u0000');
      expect(fromColumn(toColumn(text))).toBe(text);
    },
  );
});
