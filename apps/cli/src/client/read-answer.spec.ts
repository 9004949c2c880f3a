import { describe, expect, it } from '@jest/globals';
import { WRONG_JSON } from '../../../../test/fixtures/wrong-json.js';
import { EXIT } from '../exit.js';
import { readAnswer } from './read-answer.js';

describe('an answer of a server', () => {
  it('has whatever a task may have', () => {
    const text = '{"output":{"__proto__":{"a":"\\ud800"}}}';
    expect(JSON.stringify(readAnswer(text, 'http://a'))).toBe(text);
  });

  it.each([...WRONG_JSON.map(({ text }) => text), '<html>'])(
    'of %j is not one of Backstep',
    (text) => {
      expect(() => readAnswer(text, 'http://a')).toThrow(
        expect.objectContaining({
          exitCode: EXIT.unreachable,
          message: 'http://a answered and not as Backstep does',
        }),
      );
    },
  );
});
