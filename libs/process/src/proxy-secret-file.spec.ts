import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock, RecordingObserver } from '#testing';
import { ProxySecretFile } from './proxy-secret-file.js';

const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(32)];
const A_LOOK_MS = 5_000;

let folder: string;
let clock: ManualClock;
let observer: RecordingObserver;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'backstep-proxy-secret-'));
  clock = new ManualClock();
  observer = new RecordingObserver();
});
afterEach(() => rmSync(folder, { recursive: true }));

const place = (): string => path.join(folder, 'secret');
const open = (): ProxySecretFile => new ProxySecretFile(place(), { clock, observer });

function put(text: string, mode = 0o600): void {
  rmSync(place(), { force: true });
  writeFileSync(place(), text);
  chmodSync(place(), mode);
}

function known({ secrets }: ProxySecretFile): readonly string[] {
  return [OLD, NEW].filter((secret) => secrets.find(secret) !== null);
}

describe('the file with the secret of a proxy', () => {
  it('is read again when it changes, so that a secret can be rotated', async () => {
    put(`${OLD}\n`);
    const file = open();
    file.follow();
    expect(known(file)).toEqual([OLD]);
    for (const [text, secrets] of [
      [`${OLD}\n${NEW}\n`, [OLD, NEW]],
      [`${NEW}\n`, [NEW]],
    ] as const) {
      put(text);
      await clock.advance(A_LOOK_MS);
      expect(known(file)).toEqual(secrets);
    }
    await clock.advance(5 * A_LOOK_MS);
    const names = observer.notices.map(({ name }) => name);
    expect(names).toEqual(['proxy_secret_reloaded', 'proxy_secret_reloaded']);
    file.stop();
    expect(clock.timers).toBe(0);
  });

  it('keeps its secrets while it cannot be used, and tells each reason once, without them', async () => {
    put(OLD);
    const file = open();
    file.follow();
    for (const [text, mode] of [
      ['too-short', 0o600],
      [NEW, 0o644],
    ] as const) {
      put(text, mode);
      await clock.advance(3 * A_LOOK_MS);
      expect(known(file)).toEqual([OLD]);
    }
    rmSync(place());
    await clock.advance(3 * A_LOOK_MS);
    expect(file.notes()).toEqual([expect.stringContaining('BACKSTEP_PROXY_SECRET_FILE')]);
    put(OLD);
    await clock.advance(A_LOOK_MS);
    expect(file.notes()).toEqual([]);
    expect(observer.notices.map(({ level, name }) => [level, name])).toEqual([
      ['warn', 'proxy_secret_not_reloaded'],
      ['warn', 'proxy_secret_not_reloaded'],
      ['warn', 'proxy_secret_not_reloaded'],
      ['info', 'proxy_secret_reloaded'],
    ]);
    const told = JSON.stringify(observer.notices);
    for (const text of ['too-short', OLD, NEW]) expect(told).not.toContain(text);
    file.stop();
  });

  it('may be a link, as in Kubernetes', () => {
    writeFileSync(path.join(folder, 'data'), OLD, { mode: 0o600 });
    symlinkSync('data', place());
    expect(known(open())).toEqual([OLD]);
  });

  it.each([0o640, 0o620, 0o604, 0o602])('refuses the start with mode %o', (mode) => {
    put(OLD, mode);
    expect(open).toThrow(
      /BACKSTEP_PROXY_SECRET_FILE: others may read or write .*secret: chmod go= /,
    );
  });

  it.each<[string, () => void, string]>([
    ['is not there', () => {}, 'ENOENT'],
    ['is a folder', () => mkdirSync(place()), 'is no file'],
    ['is too large', () => put('o'.repeat(70_000)), 'is larger than 64 KiB'],
    ['has a secret that is short', () => put('o'.repeat(31)), 'secret must have one or two lines'],
  ])('refuses the start where it %s', (_, make, words) => {
    make();
    expect(open).toThrow(`BACKSTEP_PROXY_SECRET_FILE: `);
    expect(open).toThrow(words);
  });
});
