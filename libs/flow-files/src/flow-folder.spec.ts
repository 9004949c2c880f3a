import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock, within } from '#testing';
import { FlowFolder, type FolderUpdate } from './flow-folder.js';

let path: string;
let clock: TellingClock;
let folder: FlowFolder;
let updates: FolderUpdate[];

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'flow-folder-'));
  clock = new TellingClock();
  updates = [];
  folder = new FlowFolder({ path, clock, onUpdate: (update) => void updates.push(update) });
});

afterEach(async () => {
  await folder.stop();
  rmSync(path, { recursive: true, force: true });
});

/** A manual clock that tells when a timer of this length is set. */
class TellingClock extends ManualClock {
  #told: { ms: number; tell: () => void }[] = [];

  override after(ms: number, fire: () => void): ReturnType<ManualClock['after']> {
    const timer = super.after(ms, fire);
    for (const { tell } of this.#told.filter((each) => each.ms === ms)) tell();
    return timer;
  }

  timer(ms: number): Promise<void> {
    const come = new Promise<void>((tell) => this.#told.push({ ms, tell }));
    return within(`a timer of ${ms} ms`, come);
  }
}

const SETTLE = 200;
const RESCAN = 10_000;

function write(file: string, text: string): void {
  writeFileSync(join(path, file), text);
}

/** As careful editors save: a new file takes the place of the old one. */
function replace(file: string, text: string): void {
  write(`.${file}.tmp`, text);
  renameSync(join(path, `.${file}.tmp`), join(path, file));
}

/** A file with these flows, told apart by the command of their one step. */
function flows(commands: Record<string, string>): string {
  const entries = Object.entries(commands).map(([name, command]) => {
    return [name, [{ normal: { module: 'm', command } }]];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

/** The flows of the last update, each with the command of its first step. */
function held(): Record<string, string | undefined> {
  const entries = [...(updates.at(-1)?.flows ?? [])].map(([name, { definition }]) => {
    return [name, definition.steps[0]?.normal?.command];
  });
  return Object.fromEntries(entries);
}

function problems(): string[] {
  return (updates.at(-1)?.problems ?? []).map(({ file, line, code }) => {
    return `${file.replace(`${path}/`, '')}:${line} ${code}`;
  });
}

describe('a scan', () => {
  it('reads .json and .jsonc files, and nothing that editors leave beside them', async () => {
    write('a.json', flows({ a: 'x' }));
    write('b.jsonc', `// words\n${flows({ b: 'y' })}`);
    for (const file of ['.c.json', 'd.json~', 'e.json.swp', 'README.md']) write(file, 'no flow');
    mkdirSync(join(path, 'folder.json'));
    await folder.rescan();
    expect(held()).toEqual({ a: 'x', b: 'y' });
    expect(problems()).toEqual([]);
    expect(updates[0]?.changed.map(({ definition }) => definition.name)).toEqual(['a', 'b']);
  });

  it('says nothing when nothing has changed, and keeps the objects', async () => {
    write('a.json', flows({ a: 'x' }));
    await folder.rescan();
    const before = updates[0]?.flows.get('a');
    replace('a.json', flows({ a: 'x' }));
    await folder.rescan();
    expect(updates).toHaveLength(1);
    write('b.json', flows({ b: 'y' }));
    await folder.rescan();
    expect(updates[1]?.flows.get('a')).toBe(before);
    expect(updates[1]?.changed).toHaveLength(1);
  });

  it('takes another comment for another text of the same flow', async () => {
    write('a.json', flows({ a: 'x', b: 'y' }));
    await folder.rescan();
    replace('a.json', flows({ a: 'x', b: 'y' }).replace('}]}', '}] /* only a comment */ }'));
    await folder.rescan();
    expect(updates[1]?.changed).toMatchObject([{ text: expect.stringContaining('only') }]);
    expect(updates[1]?.changed[0]?.hash).toBe(updates[0]?.changed[1]?.hash);
    expect(updates[1]?.flows.get('a')).toBe(updates[0]?.flows.get('a'));
  });

  it('takes an edit', async () => {
    write('a.json', flows({ a: 'x', b: 'y' }));
    await folder.rescan();
    write('a.json', flows({ a: 'x', b: 'z' }));
    await folder.rescan();
    expect(held()).toEqual({ a: 'x', b: 'z' });
    expect(updates[1]?.changed.map(({ definition }) => definition.name)).toEqual(['b']);
  });

  it.each([
    ['an unfinished text', '{ "a": [', 'a.json:1 SYNTAX'],
    ['an emptied file', '', 'a.json:1 NO_FLOW'],
    ['a binary file', Buffer.from([0x7b, 0xff, 0xfe]), 'a.json:1 NOT_UTF8'],
  ])('keeps the old version over %s', async (_what, text, problem) => {
    write('a.json', flows({ a: 'x', b: 'y' }));
    await folder.rescan();
    writeFileSync(join(path, 'a.json'), text);
    await folder.rescan();
    expect(held()).toEqual({ a: 'x', b: 'y' });
    expect(problems()).toEqual([problem]);
    write('a.json', flows({ a: 'z', b: 'y' }));
    await folder.rescan();
    expect(held()).toEqual({ a: 'z', b: 'y' });
    expect(problems()).toEqual([]);
  });

  it('keeps the old version of one bad flow and takes its neighbours', async () => {
    write('a.json', flows({ bad: 'x', good: 'y', gone: 'z' }));
    await folder.rescan();
    write('a.json', '{\n"bad": [{}],\n"good": [{"normal": {"module": "m", "command": "new"}}]}');
    await folder.rescan();
    expect(held()).toEqual({ bad: 'x', good: 'new' });
    expect(problems()).toEqual(['a.json:2 MISSING_MEMBER']);
    expect(updates[1]?.removed).toEqual(['gone']);
  });

  it.each([
    ['a file', '/a.json'],
    ['a folder', ''],
  ])('does not follow a link to %s elsewhere, and tells no word of it', async (_what, target) => {
    const elsewhere = `${path}-elsewhere`;
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'a.json'), 'hunter2 = "hidden"');
    write('a.json', flows({ a: 'x' }));
    await folder.rescan();
    rmSync(join(path, 'a.json'));
    const place = target === '' ? join(path, '..data') : join(path, 'a.json');
    symlinkSync(elsewhere + target, place);
    if (target === '') symlinkSync('..data/a.json', join(path, 'a.json'));
    await folder.rescan();
    rmSync(elsewhere, { recursive: true });
    expect(problems()).toEqual(['a.json:1 FILE_OUTSIDE_FOLDER']);
    expect(JSON.stringify(updates.at(-1)?.problems)).not.toMatch(/hunter2|hidden/);
    expect(held()).toEqual({ a: 'x' });
  });

  it('tells of a link to a file that is not there', async () => {
    symlinkSync(join(path, 'gone.json'), join(path, 'a.json'));
    await folder.rescan();
    expect(problems()).toEqual(['a.json:1 FILE_NOT_READABLE']);
  });

  it('follows links within the folder, as a mounted ConfigMap has them', async () => {
    mkdirSync(join(path, '..2026_01'));
    write('..2026_01/a.json', flows({ a: 'x' }));
    symlinkSync('..2026_01', join(path, '..data'));
    symlinkSync('..data/a.json', join(path, 'a.json'));
    await folder.rescan();
    expect(held()).toEqual({ a: 'x' });
    mkdirSync(join(path, '..2026_02'));
    write('..2026_02/a.json', flows({ a: 'y' }));
    symlinkSync('..2026_02', join(path, '..data_tmp'));
    renameSync(join(path, '..data_tmp'), join(path, '..data'));
    await folder.rescan();
    expect(held()).toEqual({ a: 'y' });
    expect(problems()).toEqual([]);
  });

  it('may itself be reached by a link', async () => {
    write('a.json', flows({ a: 'x' }));
    symlinkSync(path, `${path}-link`);
    const seen: FolderUpdate[] = [];
    const onUpdate = (update: FolderUpdate): void => void seen.push(update);
    const linked = new FlowFolder({ path: `${path}-link`, clock, onUpdate });
    await linked.rescan();
    rmSync(`${path}-link`);
    expect(seen[0]?.problems).toEqual([]);
    expect([...(seen[0]?.flows.keys() ?? [])]).toEqual(['a']);
  });

  it('removes the flows of a deleted file', async () => {
    write('a.json', flows({ a: 'x' }));
    write('b.json', flows({ b: 'y' }));
    await folder.rescan();
    rmSync(join(path, 'a.json'));
    await folder.rescan();
    expect(updates[1]?.removed).toEqual(['a']);
    expect(held()).toEqual({ b: 'y' });
  });

  it('keeps everything while the folder is away', async () => {
    write('a.json', flows({ a: 'x' }));
    await folder.rescan();
    renameSync(path, `${path}-away`);
    await folder.rescan();
    expect(held()).toEqual({ a: 'x' });
    expect(problems()).toEqual([`${path}:1 FOLDER_NOT_READABLE`]);
    renameSync(`${path}-away`, path);
    await folder.rescan();
    expect(problems()).toEqual([]);
  });
});

describe('a flow in two files', () => {
  it('is taken from the first by name at the start', async () => {
    write('b.json', flows({ a: 'second' }));
    write('a.json', `{\n${flows({ a: 'first' }).slice(1)}`);
    await folder.rescan();
    expect(held()).toEqual({ a: 'first' });
    expect(problems()).toEqual(['b.json:1 DUPLICATE_FLOW']);
  });

  it('stays with the file that had it first', async () => {
    write('b.json', flows({ a: 'old' }));
    await folder.rescan();
    write('a.json', flows({ a: 'new' }));
    await folder.rescan();
    expect(held()).toEqual({ a: 'old' });
    expect(problems()).toEqual(['a.json:1 DUPLICATE_FLOW']);
  });

  it('moves when its file gives it up', async () => {
    write('a.json', flows({ a: 'old', other: 'x' }));
    write('b.json', flows({ a: 'new' }));
    await folder.rescan();
    write('a.json', flows({ other: 'x' }));
    await folder.rescan();
    expect(held()).toEqual({ a: 'new', other: 'x' });
    expect(updates[1]).toMatchObject({ removed: [], problems: [] });
  });
});

describe('a watched folder', () => {
  /** Lets the series of saves settle, and resolves when the scan after it is over. */
  async function settleSaves(): Promise<void> {
    const scanned = clock.timer(RESCAN);
    await clock.advance(SETTLE);
    await scanned;
  }

  it('is read again once a series of saves is over', async () => {
    write('a.json', flows({ a: 'x' }));
    await folder.start();
    const changed = clock.timer(SETTLE);
    for (const command of ['y', 'z']) replace('a.json', flows({ a: command }));
    await changed;
    await settleSaves();
    expect(held()).toEqual({ a: 'z' });
    expect(updates).toHaveLength(2);
  });

  it('tells of a file that is deleted', async () => {
    write('a.json', flows({ a: 'x' }));
    await folder.start();
    const changed = clock.timer(SETTLE);
    rmSync(join(path, 'a.json'));
    await changed;
    await settleSaves();
    expect(held()).toEqual({});
  });

  it('is read now and then all the same, also when it came into being later', async () => {
    rmSync(path, { recursive: true });
    await folder.start();
    expect(problems()).toEqual([`${path}:1 FOLDER_NOT_READABLE`]);
    mkdirSync(path);
    write('a.json', flows({ a: 'x' }));
    const scanned = clock.timer(RESCAN);
    await clock.advance(RESCAN);
    await scanned;
    expect(held()).toEqual({ a: 'x' });

    const changed = clock.timer(SETTLE);
    replace('a.json', flows({ a: 'y' }));
    await changed;
    await settleSaves();
    expect(held()).toEqual({ a: 'y' });
  });

  it('is left alone after a stop, which may come twice or first', async () => {
    await folder.stop();
    await folder.start();
    await Promise.all([folder.stop(), folder.stop()]);
    expect(clock.timers).toBe(0);
    write('a.json', flows({ a: 'x' }));
    await clock.advance(RESCAN);
    expect(updates).toHaveLength(1);
  });
});
