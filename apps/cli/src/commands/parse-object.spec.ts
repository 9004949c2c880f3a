import { describe, expect, it } from '@jest/globals';
import { WRONG_FROM_OTHERS, WRONG_JSON } from '../../../../test/fixtures/wrong-json.js';
import { EXIT } from '../exit.js';
import { parseObject } from './parse-object.js';

describe('a JSON object on the command line', () => {
  it('is what it says', () => {
    expect(parseObject('{"a": [1]}', '--result')).toEqual({ a: [1] });
  });

  it.each([...WRONG_JSON, ...WRONG_FROM_OTHERS])(
    'of $text is wrong usage, with its place',
    (wrong) => {
      expect(() => parseObject(wrong.text, '--result')).toThrow(
        expect.objectContaining({
          exitCode: EXIT.usage,
          message: expect.stringMatching(/^--result( is not JSON)?: /),
        }),
      );
      expect(() => parseObject(wrong.text, '--result')).toThrow(wrong.placed);
    },
  );
});
