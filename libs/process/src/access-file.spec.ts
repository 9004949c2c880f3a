import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock, RecordingObserver, settle } from '#testing';
import { AccessFile, readAccess } from './access-file.js';

const SOMEBODY = { way: 'oidc', subject: 's', groups: ['g'] } as const;
/** Longer than it takes until the file is looked at again. */
const A_LOOK_MS = 11_000;

let folder: string;
let clock: ManualClock;
let observer: RecordingObserver;
let access: AccessFile | undefined;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'backstep-access-file-'));
  clock = new ManualClock();
  observer = new RecordingObserver();
});
afterEach(() => {
  access?.stop();
  rmSync(folder, { recursive: true });
});

const place = (name: string): string => path.join(folder, name);
const bind = (role: string): string => `{ "bindings": [{ "group": "g", "role": "${role}" }] }`;

function open(): AccessFile {
  access = new AccessFile(place('access.jsonc'), { clock, observer });
  return access;
}

/** Follows the file, and comes back when its folder is watched. */
async function followed(): Promise<AccessFile> {
  const found = open();
  found.follow();
  // The timer of the next look is set at once, the watch a little later.
  await clock.advance(A_LOOK_MS);
  return found;
}

/**
 * Resolves once a number of notices were given; looks come by the clock, whatever the system tells.
 */
async function noticed(count: number): Promise<readonly string[]> {
  while (observer.notices.length < count) {
    await clock.advance(A_LOOK_MS);
    await settle();
  }
  return observer.notices.map(({ name }) => name);
}

const roleIn = ({ rules }: AccessFile): unknown => rules.rightsOf(SOMEBODY)?.role;

describe('a file of bindings that is followed', () => {
  it('may be replaced by another one of its name, as editors do', async () => {
    writeFileSync(place('access.jsonc'), bind('viewer'));
    const found = await followed();
    expect(roleIn(found)).toBe('viewer');
    writeFileSync(place('new'), bind('operator'));
    renameSync(place('new'), place('access.jsonc'));
    expect(await noticed(1)).toEqual(['access_reloaded']);
    expect(roleIn(found)).toBe('operator');
  });

  it('may be a link into a folder that is changed for another, as in Kubernetes', async () => {
    for (const [name, role] of [
      ['one', 'viewer'],
      ['two', 'operator'],
    ] as const) {
      mkdirSync(place(name));
      writeFileSync(path.join(place(name), 'access.jsonc'), bind(role));
    }
    symlinkSync('one', place('..data'));
    symlinkSync('..data/access.jsonc', place('access.jsonc'));
    const found = await followed();
    symlinkSync('two', place('..tmp'));
    renameSync(place('..tmp'), place('..data'));
    expect(await noticed(1)).toEqual(['access_reloaded']);
    expect(roleIn(found)).toBe('operator');
  });

  it('keeps its bindings while it cannot be used, and tells each reason once', async () => {
    writeFileSync(place('access.jsonc'), bind('viewer'));
    const found = await followed();
    expect(found.notes()).toEqual([]);
    writeFileSync(place('access.jsonc'), bind('root'));
    await noticed(1);
    await clock.advance(5 * A_LOOK_MS);
    expect(found.notes()).toHaveLength(1);
    unlinkSync(place('access.jsonc'));
    await noticed(2);
    expect(roleIn(found)).toBe('viewer');
    writeFileSync(place('access.jsonc'), bind('viewer'));
    expect(await noticed(3)).toEqual([
      'access_not_reloaded',
      'access_not_reloaded',
      'access_reloaded',
    ]);
    expect(observer.notices[0]?.message).toContain('access.jsonc:1:32: `bindings.0.role` must be');
    expect(found.notes()).toEqual([]);
  });

  it('is looked at no more once that has stopped', async () => {
    writeFileSync(place('access.jsonc'), bind('viewer'));
    const found = await followed();
    found.stop();
    expect(clock.timers).toBe(0);
  });
});

describe('a file that is none', () => {
  it.each([
    ['a folder', () => mkdirSync(place('access.jsonc')), 'is no file'],
    ['no text', () => writeFileSync(place('access.jsonc'), Buffer.of(0xff)), 'is not UTF-8 text'],
    ['too large', () => writeFileSync(place('access.jsonc'), ' '.repeat(2 ** 21)), 'than 1 MiB'],
  ])('because it is %s stops the start', (_, make, words) => {
    make();
    expect(open).toThrow(words);
  });
});

const first = (binding: string): string => `{\n  "bindings": [\n    ${binding}\n  ]\n}`;

describe('a text of bindings', () => {
  it('may have comments, commas at the end and a schema', () => {
    const text = `{
      "$schema": "x", // for editors
      "bindings": [
        { "subject": "spiffe://a/*", "by": "mtls", "role": "worker", "where": { "modules": ["m"] } },
        { "group": "g", "role": "viewer", "where": { "flows": ["a-*"], "labels": { "t": "u" } } },
      ],
    }`;
    const none = { flows: null, labels: null, modules: null };
    expect(readAccess(text)).toEqual({
      problem: null,
      bindings: [
        {
          ...{ ...none, modules: ['m'] },
          ...{ to: 'subject', pattern: 'spiffe://a/*', way: 'mtls', role: 'worker' },
        },
        {
          ...{ ...none, flows: ['a-*'], labels: { t: 'u' } },
          ...{ to: 'group', pattern: 'g', way: null, role: 'viewer' },
        },
      ],
    });
  });

  it('may be the one that the documentation shows', () => {
    const page = new URL('../../../docs/access.md', import.meta.url);
    const [, shown = ''] = /```jsonc\n([^`]*)```/.exec(readFileSync(page, 'utf8')) ?? [];
    expect(readAccess(shown)).toMatchObject({ problem: null, bindings: [{}, {}, {}] });
  });

  it.each([
    ['', '1:1: The file is empty.'],
    ['{', '1:2: The end stands where } should be.'],
    ['[]', 'The file must be an object, but is a list.'],
    ['null', '1:1: The file must be an object, but is null.'],
    ['{}', '1:1: `bindings` is missing.'],
    ['{ "bindings": {} }', '1:3: `bindings` must be a list, but is an object.'],
    ['{ "bindings": [], "more": 1 }', '1:19: The file cannot have a member `more`.'],
    ['{ "bindings": [], "bindings": [] }', '1:19: `bindings` is there twice.'],
    [first('"a"'), '3:5: Binding 1 must have `subject` or `group`'],
    [first('{ "role": "viewer" }'), '3:5: Binding 1 must have `subject` or `group`, and not both.'],
    [first('{ "subject": "a", "group": "b", "role": "viewer" }'), '3:5: Binding 1 must have'],
    [first('{ "group": "a" }'), '3:5: `role` is missing.'],
    [first('{ "group": "a", "role": "root" }'), '3:21: `bindings.0.role` must be "viewer" or'],
    [first('{ "group": "", "role": "viewer" }'), '3:7: `bindings.0.group` must have at least'],
    [
      first('{ "group": "a", "role": "viewer", "when": {} }'),
      '3:39: `bindings.0` cannot have a member `when`.',
    ],
    [
      first('{ "group": "a", "role": "viewer", "by": "keys" }'),
      '3:39: `bindings.0.by` must be "oidc" or "mtls" or "proxy".',
    ],
    [
      first('{ "group": "a", "role": "viewer", "where": { "flow": ["a"] } }'),
      '3:50: `bindings.0.where` cannot have a member `flow`.',
    ],
    [
      first('{ "group": "a", "role": "viewer", "where": { "flows": [] } }'),
      '3:50: `bindings.0.where.flows` must have at least',
    ],
    [
      first('{ "group": "a", "role": "viewer", "where": { "flows": ["a b"] } }'),
      '3:60: `bindings.0.where.flows.0` does not have the form',
    ],
    [
      first('{ "group": "a", "role": "viewer", "where": { "labels": { "a": ["b"] } } }'),
      '3:62: `bindings.0.where.labels.a` must be text',
    ],
    [
      first('{ "group": "a", "role": "viewer", "where": { "labels": { "a=b": "c" } } }'),
      '3:62: `a=b` is not a name that is allowed here.',
    ],
  ])('%j is refused', (text, sentence) => {
    expect(readAccess(text).problem).toContain(sentence);
  });
});
