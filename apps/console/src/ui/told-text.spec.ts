import { describe, expect, it } from '@jest/globals';
import { absoluteWords } from './durations.js';
import { toldParts, toldText } from './told-text.js';

const ID = '01a20ba8-4fa2-71bd-8000-0123456789ab';

describe('a text of the server', () => {
  it('has tasks, moments and lengths by themselves', () => {
    const at = Date.UTC(2026, 10, 24, 3, 45, 9, 500) / 1_000;
    expect(toldParts(`task ${ID} is seen 2026-11-24T03:45:09.500Z, in 90000 ms`)).toEqual([
      { words: 'task ' },
      { words: ID, taskId: ID },
      { words: ' is seen ' },
      { words: absoluteWords(at), at },
      { words: ', ' },
      { words: 'in 1 min 30 s' },
      { words: '' },
    ]);
  });

  it.each(['0000-00-00T00:00:00Z is no date', 'at 2026-13-01T25:61:00Z'])(
    'says %j as it is: that is no moment',
    (text) => {
      expect(toldText(text)).toBe(text);
      expect(toldParts(text).every(({ at }) => at === undefined)).toBe(true);
    },
  );
});
