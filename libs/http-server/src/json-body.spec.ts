import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { WRONG_FROM_OTHERS, WRONG_JSON } from '../../../test/fixtures/wrong-json.js';
import { fuzzBudget } from '../../../test/fuzz/budget.js';
import { parseBody, parseLargeBody } from './json-body.js';
import { Problem } from './problems.js';

const TERMS = { longest: 272 * 1024, maySeal: false };

function problemOf(text: string | Buffer): Problem {
  try {
    parseBody(Buffer.from(text as string), TERMS);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('it was taken');
}

/** How the problem of a body says what its reader says. */
const NO_JSON: Readonly<Record<string, string>> = {
  EMPTY: 'The body is empty; send a JSON object.',
};

describe('a JSON body', () => {
  it.each([...WRONG_JSON, ...WRONG_FROM_OTHERS])('$text is refused', async (wrong) => {
    const { code, errors, message } = problemOf(wrong.text);
    if (wrong.pointer === undefined) {
      expect(code).toBe('MALFORMED_JSON');
      expect(message).toBe(NO_JSON[wrong.code] ?? wrong.placed);
    } else {
      expect(code).toBe('INVALID_REQUEST');
      expect(errors).toMatchObject([{ pointer: wrong.pointer, hint: expect.anything() }]);
    }
    const large = parseLargeBody(Buffer.from(wrong.text), TERMS);
    await expect(large).rejects.toMatchObject({ code, errors, message });
  });

  it('must be UTF-8', () => {
    expect(problemOf(Buffer.from([0x22, 0xc3, 0x22]))).toMatchObject({
      code: 'MALFORMED_JSON',
      message: 'The body is not UTF-8 text.',
    });
  });

  it('has no more values than are taken, which are more where longer ones are', async () => {
    const bytes = Buffer.from(JSON.stringify({ list: Array.from({ length: 250_000 }, () => 1) }));
    const refusal = {
      code: 'PAYLOAD_TOO_LARGE',
      message: 'The text has more than 250000 values. Send them in several requests.',
    };
    await expect(parseLargeBody(bytes, TERMS)).rejects.toMatchObject(refusal);
    expect(() => parseBody(bytes, TERMS)).toThrow(refusal.message);
    expect(parseBody(bytes, { ...TERMS, longest: 16 * 250_002 })).toHaveProperty(
      'list.length',
      250_000,
    );
  });

  it('may be as large as it is', async () => {
    const value = { text: 'é'.repeat(100_000) };
    const bytes = Buffer.from(JSON.stringify(value));
    expect(parseBody(bytes, TERMS)).toEqual(value);
    expect(await parseLargeBody(bytes, TERMS)).toEqual(value);
  });

  it('brings no sealed value, wherever it stands and however it is spelt', async () => {
    const sealed = 'bks-sealed:v2.0a1b2c3d.AbC_-9';
    const escaped = sealed.replace(/^./, '\\u0062');
    const name = fc.constantFrom('a', 'b/c', 'parameters', 'data');
    const place = fc.array(fc.oneof(name, fc.nat(2)), { maxLength: 5 });
    const isRefused = fc.asyncProperty(place, fc.boolean(), async (path, isEscaped) => {
      const holds = path.reduceRight<unknown>((inner, part) => {
        return typeof part === 'string' ? { x: 1, [part]: inner } : [...Array(part).keys(), inner];
      }, `x ${sealed}`);
      const text = JSON.stringify(holds).replace(sealed, isEscaped ? escaped : sealed);
      const pointer = path.map((part) => `/${String(part).replace('/', '~1')}`).join('');
      const isOfParameters = path.includes('parameters');
      const code = isOfParameters ? 'INVALID_PARAMETERS' : 'INVALID_REQUEST';
      expect(problemOf(text)).toMatchObject({ code, errors: [{ pointer }] });
      const large = parseLargeBody(Buffer.from(text), TERMS);
      await expect(large).rejects.toMatchObject({ code });
    });
    await fc.assert(isRefused, fuzzBudget(400));
    expect(() => parseBody(Buffer.from(`{"${sealed}": 1}`), TERMS)).toThrow('no request may');
    const prose = '{"a": "a text that begins with bks-sealed: is \\u0061 secret"}';
    expect(parseBody(Buffer.from(prose), TERMS)).toHaveProperty('a');
  });
});
