import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findToken, openTokenFile, UnfitTokenFile } from './token-file.js';

describe('the file of a token', () => {
  let above: string;
  let folder: string;
  let file: string;

  beforeEach(() => {
    above = mkdtempSync(path.join(tmpdir(), 'backstep-token-'));
    folder = path.join(above, 'data');
    file = path.join(folder, 'token');
  });

  afterEach(() => rmSync(above, { recursive: true }));

  const open = (letter = 'a'): string => openTokenFile(folder, letter.repeat(43));

  it('is made for its own user alone, whatever the umask', () => {
    const before = process.umask(0);
    try {
      expect(open()).toBe(`bst_${'a'.repeat(43)}`);
    } finally {
      process.umask(before);
    }
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
    expect((statSync(folder).mode & 0o777).toString(8)).toBe('700');
    expect(readdirSync(folder)).toEqual(['token']);
    expect(readFileSync(file, 'utf8')).toBe(`bst_${'a'.repeat(43)}\n`);
  });

  it('is kept: the next start, and another process of the folder, have the same token', () => {
    const token = open('a');
    expect(open('b')).toBe(token);
    expect(findToken(folder)).toBe(token);
    expect(readdirSync(folder)).toEqual(['token']);
  });

  it.each([0o640, 0o620, 0o604, 0o602, 0o644])('is refused with mode %o', (mode) => {
    open();
    chmodSync(file, mode);
    expect(() => open('b')).toThrow(UnfitTokenFile);
    expect(() => open('b')).toThrow(`others may read or write ${file}. Remove it`);
  });

  it.each([0o600, 0o400, 0o700])('is taken with mode %o', (mode) => {
    const token = open();
    chmodSync(file, mode);
    expect(open('b')).toBe(token);
  });

  it('is refused where it is a link, or no file, or holds something else', () => {
    mkdirSync(folder);
    const elsewhere = path.join(above, 'elsewhere');
    writeFileSync(elsewhere, `bst_${'e'.repeat(43)}\n`, { mode: 0o600 });
    symlinkSync(elsewhere, file);
    expect(() => open()).toThrow('cannot be read: ELOOP');
    expect(findToken(folder)).toBeNull();
    rmSync(file);
    mkdirSync(file);
    expect(() => open()).toThrow(`${file} is no file`);
    expect(findToken(folder)).toBeNull();
    rmSync(file, { recursive: true });
    writeFileSync(file, '', { mode: 0o600 });
    expect(() => open()).toThrow(`${file} holds no token. Remove it`);
    expect(findToken(folder)).toBeNull();
    expect(readdirSync(folder)).toEqual(['token']);
  });

  // Only root may give a file away.
  if (process.getuid?.() === 0) {
    it('is refused where another user has put it there', async () => {
      const { chownSync } = await import('node:fs');
      open();
      chownSync(file, 12_345, 12_345);
      expect(() => open('b')).toThrow(`${file} belongs to another user. Remove it`);
    });
  }

  it('is not found where there is none', () => {
    expect(findToken(folder)).toBeNull();
  });
});
