import { describe, expect, it } from '@jest/globals';
import { EXIT } from '../exit.js';
import type { Terminal } from '../terminal/terminal.js';
import { readNumber, readPairs, readParameters } from './parameters.js';

const nowhere = { write: () => {} };
const terminal: Terminal = {
  stdout: nowhere,
  stderr: nowhere,
  env: {},
  cwd: import.meta.dirname,
  readStdin: async () => '{"cpu": 2, "name": "stdin"}',
};
const read = (input: string | undefined, ...pairs: string[]) =>
  readParameters({ input, pairs }, terminal);

describe('parameters on the command line', () => {
  it.each([
    ['cpu=4', 4],
    ['cpu=4.5', 4.5],
    ['cpu=true', true],
    ['cpu=null', null],
    ['cpu=[1,"a"]', [1, 'a']],
    ['cpu="4"', '4'],
    ['cpu=four', 'four'],
    ['cpu=', ''],
    ['cpu=a=b', 'a=b'],
    ['cpu=12345678901234567890', '12345678901234567890'],
    ['cpu=007', '007'],
    ['cpu=1e999', '1e999'],
    ['cpu=-1e+300', -1e300],
    ['cpu=1e+21', 1e21],
    ['cpu= 4 ', 4],
    ['cpu=1.10', '1.10'],
    ['cpu=1.0', '1.0'],
    ['cpu=1234e56', '1234e56'],
    ['cpu=1e3', '1e3'],
    ['cpu=20261127.10', '20261127.10'],
    ['cpu=-0', '-0'],
    ['cpu=[1.10]', [1.1]],
  ])('%s is %j', async (pair, value) => {
    expect(await read(undefined, pair)).toEqual({ cpu: value });
  });

  it('come from standard input, and pairs win over it', async () => {
    expect(await read('-', 'cpu=8')).toEqual({ cpu: 8, name: 'stdin' });
  });

  it('come from the text itself', async () => {
    expect(await read('{"a": {"b": 1}}')).toEqual({ a: { b: 1 } });
  });

  it('may begin with a byte order mark', async () => {
    const marked = { ...terminal, readStdin: async () => '\uFEFF{"cpu": 2}' };
    expect(await readParameters({ input: '-', pairs: [] }, marked)).toEqual({ cpu: 2 });
  });

  it('are there once each', async () => {
    await expect(read(undefined, 'cpu=1', 'cpu=2')).rejects.toMatchObject({
      exitCode: EXIT.usage,
      message: '"cpu" is there twice: write it once',
    });
  });

  it('are absent where none are written', async () => {
    expect(await read(undefined)).toBeUndefined();
  });

  it('keep a member that is called __proto__', async () => {
    const parameters = await read(undefined, '__proto__=1');
    expect(JSON.stringify(parameters)).toBe('{"__proto__":1}');
  });

  it.each([
    ['{"a"', undefined, /^the text after -i is not JSON/],
    ['missing.json', undefined, /^missing\.json cannot be read: ENOENT$/],
    ['[1]', undefined, /^the text after -i must be a JSON object$/],
    ['{"a": 1, "a": 2}', undefined, /^the text after -i: Line 1, column 10: `a` is there twice\.$/],
    [
      '{"id": 12345678901234567890}',
      undefined,
      /^the text after -i: Line 1, column 8: .* more digits/,
    ],
    ['{}', 'ids=[12345678901234567890]', /^ids: Line 1, column 2: .* more digits/],
    ['{}', 'ids={"a": 1e999}', /^ids: Line 1, column 7: a number is too large to be kept\.$/],
    ['{}', 'ids={"a": 1, "a": 2}', /^ids: Line 1, column 10: `a` is there twice\.$/],
    ['{}', 'noequals', /^"noequals" is not a parameter: write key=value$/],
    ['parameters.spec.ts', undefined, /^parameters\.spec\.ts is not JSON/],
  ])('-i %s and %s are refused as wrong usage', async (input, pair, sentence) => {
    const reading = read(input, ...(pair === undefined ? [] : [pair]));
    await expect(reading).rejects.toMatchObject({
      exitCode: EXIT.usage,
      message: expect.stringMatching(sentence),
    });
  });
});

describe('options', () => {
  it('that are pairs stay text', () => {
    expect(readPairs(['a=1', 'b=x=y'], 'a label')).toEqual({ a: '1', b: 'x=y' });
    expect(() => readPairs(['a=1', 'a=2'], 'a label')).toThrow('"a" is there twice');
  });

  it('that are numbers are whole', () => {
    expect(readNumber('-3', '--priority')).toBe(-3);
    expect(() => readNumber('3.5', '--priority')).toThrow('--priority "3.5"');
  });
});
