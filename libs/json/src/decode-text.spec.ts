import { expect, it } from '@jest/globals';
import { fileText, NotUtf8 } from './decode-text.js';

const TEXT = 'BACKSTEP_AUTH=token\r\n';
const LITTLE = Buffer.from(TEXT, 'utf16le');
const BIG = Buffer.from(LITTLE).swap16();

it.each([
  ['little-endian, with a mark', Buffer.concat([Buffer.from([0xff, 0xfe]), LITTLE])],
  ['big-endian, with a mark', Buffer.concat([Buffer.from([0xfe, 0xff]), BIG])],
  ['little-endian', LITTLE],
  ['big-endian', BIG],
])('refuses a file in UTF-16, %s', (_name, bytes) => {
  expect(() => fileText(bytes)).toThrow(new NotUtf8('it is UTF-16 text: save it as UTF-8'));
});

it('refuses a file in another encoding', () => {
  expect(() => fileText(Buffer.from('passwort=\u00fc', 'latin1'))).toThrow('it is not UTF-8 text');
});

it('reads UTF-8, with or without a mark', () => {
  expect(fileText(Buffer.from('\u00fc = \u4e2d'))).toBe('\u00fc = \u4e2d');
  expect(fileText(Buffer.from('\ufeffa'))).toBe('a');
  expect(fileText(Buffer.from(''))).toBe('');
  expect(fileText(Buffer.from('x'))).toBe('x');
});
