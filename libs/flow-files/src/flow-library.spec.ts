import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { FlowDefinition, FlowVersion, JsonObject } from '#core';
import { type CommandRecord, FLOW_SOURCE, type FlowSource, type FlowStore } from '#ports';
import { type Records, recordsOf, StoreUnavailable } from '#ports';
import { ManualClock, MemoryStore, RecordingObserver } from '#testing';
import { FlowLibrary } from './flow-library.js';

/** Keeps versions as the port says, gives back copies, and fails when told to. */
class FakeFlowStore implements FlowStore {
  readonly versions: FlowVersion[] = [];
  failWith: ((name: string) => Error | null) | null = null;
  onSave: (() => void) | null = null;

  async saveFlow(definition: FlowDefinition, hash: string, now: number): Promise<FlowVersion> {
    this.onSave?.();
    const error = this.failWith?.(definition.name) ?? null;
    if (error !== null) throw error;
    const newest = await this.getFlow(definition.name);
    if (newest?.hash === hash) return newest;
    const version = (newest?.version ?? 0) + 1;
    this.versions.push({ definition, version, hash, createdAt: now });
    return structuredClone({ definition, version, hash, createdAt: now });
  }

  async getFlow(name: string): Promise<FlowVersion | null> {
    const found = this.versions.findLast(({ definition }) => definition.name === name);
    return structuredClone(found ?? null);
  }

  listFlows(): Promise<readonly FlowVersion[]> {
    return Promise.resolve(this.versions);
  }
}

let path: string;
let clock: ManualClock;
let store: FakeFlowStore;
let memory: MemoryStore;
let sources: Records<FlowSource>;
let observer: RecordingObserver;
let library: FlowLibrary;

function kept() {
  const { commandDefaults, definitions } = memory;
  return { commandDefaults, definitions, sources };
}

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'flow-library-'));
  clock = new ManualClock();
  store = new FakeFlowStore();
  observer = new RecordingObserver();
  memory = new MemoryStore();
  sources = recordsOf(memory.records, FLOW_SOURCE);
  library = new FlowLibrary({ path, clock, store, ...kept(), observer });
});

afterEach(async () => {
  await library.stop();
  rmSync(path, { recursive: true, force: true });
});

function write(file: string, command: string, ...names: string[]): void {
  const entries = names.map((name) => [name, [{ normal: { module: 'm', command } }]]);
  writeFileSync(join(path, file), JSON.stringify(Object.fromEntries(entries)));
}

const commandOf = (name: string) => library.find(name)?.definition.steps[0]?.normal?.command;

/** The texts that are kept, by version. */
async function texts(name: string): Promise<readonly (string | undefined)[]> {
  const found = store.versions.filter(({ definition }) => definition.name === name);
  const ids = found.map(({ version }) => sources.get(`${name}@${version}`));
  return (await Promise.all(ids)).map((source) => source?.text);
}

describe('a flow', () => {
  it('stays while its folder is away, which is noted until the folder is back', async () => {
    write('a.json', 'x', 'a');
    await library.start();
    expect(library.notes()).toEqual([]);
    renameSync(path, `${path}-away`);
    await library.rescan();
    expect(commandOf('a')).toBe('x');
    expect(library.notes()).toEqual([expect.stringContaining('BACKSTEP_FLOWS')]);
    renameSync(`${path}-away`, path);
    await library.rescan();
    expect(library.notes()).toEqual([]);
    expect(commandOf('a')).toBe('x');
  });

  it('can be started as soon as the store has it', async () => {
    write('a.json', 'x', 'a', 'b');
    await library.start();
    expect(library.list().map(({ definition, version }) => [definition.name, version])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    expect(library.find('a')).toMatchObject({ version: 1, createdAt: clock.now() });
    expect(library.find('constructor')).toBeUndefined();
  });

  it('gets a new version when it is edited, and gives all tasks of one the same steps', async () => {
    write('a.json', 'x', 'a');
    await library.start();
    const first = library.find('a');
    await library.rescan();
    expect(library.find('a')).toBe(first);
    write('a.json', 'y', 'a');
    await library.rescan();
    expect(library.find('a')?.version).toBe(2);
    expect(Object.isFrozen(library.find('a')?.definition.steps)).toBe(true);
  });

  it('keeps its version over a bad edit, which is told with file, line and reason', async () => {
    write('a.json', 'x', 'a');
    await library.start();
    writeFileSync(join(path, 'a.json'), '{\n  "a": [{}]\n}');
    await library.rescan();
    await library.rescan();
    expect(library.find('a')?.version).toBe(1);
    expect(library.problems()).toMatchObject([{ line: 2, code: 'MISSING_MEMBER' }]);
    expect(observer.named('flow_file_problem').map(({ message }) => message)).toEqual([
      expect.stringMatching(/a\.json:2:9: Step 1 has no member .* \[MISSING_MEMBER\]$/),
    ]);
  });

  it('can no longer be started when its file is gone; the store still has it', async () => {
    write('a.json', 'x', 'a');
    await library.start();
    rmSync(join(path, 'a.json'));
    await library.rescan();
    expect(library.find('a')).toBeUndefined();
    expect(await store.getFlow('a')).toMatchObject({ version: 1 });
    expect(observer.named('flow_removed')).toHaveLength(1);
    write('a.json', 'x', 'a');
    await library.rescan();
    expect(library.find('a')?.version).toBe(1);
  });

  it('that is edited over and over gets ten versions a minute, and its newest text in the end', async () => {
    for (let edit = 0; edit < 300; edit++) {
      write('a.json', `x${edit}`, 'a');
      if (edit === 0) await library.start();
      await library.rescan();
    }
    expect(store.versions).toHaveLength(10);
    expect(commandOf('a')).toBe('x9');
    expect(observer.notices.filter(({ name }) => name === 'flow_edits_paused')).toMatchObject([
      { level: 'warn', message: 'Flow a is edited too often: its newest text is taken in 60 s.' },
    ]);
    write('b.json', 'y', 'b');
    await library.rescan();
    expect(commandOf('b')).toBe('y');
    await clock.advance(60_000);
    await library.rescan();
    expect(commandOf('a')).toBe('x299');
    expect(store.versions).toHaveLength(12);
  });

  it('that comes back as it was two versions ago gets a new version', async () => {
    write('a.json', 'x', 'a');
    await library.start();
    for (const command of ['y', 'x']) {
      write('a.json', command, 'a');
      await library.rescan();
    }
    expect(library.find('a')?.version).toBe(3);
  });
});

describe('a store that does not answer', () => {
  const away = () => new StoreUnavailable('away');

  it('does not stop the start: flows are saved as soon as it answers', async () => {
    store.failWith = away;
    write('a.json', 'x', 'a', 'b');
    await library.start();
    expect(library.find('a')).toBeUndefined();
    expect(library.unsaved()).toEqual(['a', 'b']);
    // Only one of the two was tried.
    expect(observer.named('flow_save_failed')).toHaveLength(1);

    await clock.advance(1_000);
    expect(observer.named('flow_save_failed')).toHaveLength(2);
    store.failWith = null;
    await clock.advance(2_000);
    expect(library.unsaved()).toEqual([]);
    expect(library.list()).toHaveLength(2);
  });

  it('does not lose an edit: the version before it is used until the store has it', async () => {
    write('a.json', 'x', 'a');
    await library.start();
    store.failWith = away;
    write('a.json', 'y', 'a');
    await library.rescan();
    expect(commandOf('a')).toBe('x');
    store.failWith = null;
    await clock.advance(2_000);
    expect(commandOf('a')).toBe('y');
  });

  it('is asked less and less often, but at least twice a minute', async () => {
    store.failWith = away;
    write('a.json', 'x', 'a');
    await library.start();
    await clock.advance(31_000);
    const tries = observer.named('flow_save_failed').length;
    expect(tries).toBe(6);
    await clock.advance(60_000);
    expect(observer.named('flow_save_failed').length - tries).toBe(2);
  });

  it('is not asked after a stop', async () => {
    store.failWith = away;
    write('a.json', 'x', 'a');
    await library.start();
    await Promise.all([library.stop(), library.stop()]);
    expect(clock.timers).toBe(0);
  });
});

it('a flow that the store refuses does not hold up the others', async () => {
  store.failWith = (name) => (name === 'a' ? new Error('too large') : null);
  write('a.json', 'x', 'a', 'b');
  await library.start();
  expect(library.unsaved()).toEqual(['a']);
  expect(library.find('b')?.version).toBe(1);
});

it('an edit while the one before it is being saved wins', async () => {
  write('a.json', 'x', 'a');
  await library.start();
  write('a.json', 'y', 'a');
  const rescans: Promise<void>[] = [];
  store.onSave = () => {
    store.onSave = null;
    write('a.json', 'z', 'a');
    rescans.push(library.rescan());
  };
  await library.rescan();
  await Promise.all(rescans);
  expect(commandOf('a')).toBe('z');
  expect(library.find('a')).toMatchObject({ version: 3 });
});

it('warnings of a flow are told once for each version that is loaded', async () => {
  write('a.json', 'x', 'a');
  await library.start();
  await library.rescan();
  expect(observer.named('flow_file_warning')).toMatchObject([
    { level: 'info', message: expect.stringMatching(/^Flow a, line 1: .* \[NO_INPUT\]$/) },
  ]);
  write('a.json', 'y', 'a');
  await library.rescan();
  expect(observer.named('flow_file_warning')).toHaveLength(2);
});

it('what a flow starts in other files is compared once all files are read', async () => {
  const text = (name: string) => `{ "input": {}, "steps": [{ "flow": { "name": "${name}" } }] }`;
  writeFileSync(join(path, 'a.json'), `{ "a": ${text('b')}, "lonely": ${text('gone')} }`);
  writeFileSync(join(path, 'b.json'), `{ "b": ${text('a')} }`);
  await library.start();
  expect(observer.named('flow_file_warning').map(({ message }) => message)).toEqual([
    expect.stringMatching(/^Flow a, line 1: .*`a` starts `b` starts `a`.* \[ENDLESS_FLOWS\]$/),
    expect.stringMatching(/^Flow lonely, line 1: .*`gone`.* \[UNKNOWN_CHILD_FLOW\]$/),
    expect.stringMatching(/^Flow b, line 1: .* \[ENDLESS_FLOWS\]$/),
  ]);
});

it('flows of files get a new version when what they inherit of a command changes', async () => {
  write('a.json', 'x', 'a');
  await memory.commandDefaults.put(recordOf({ retry: 1 }), 'any');
  await library.start();
  const first = library.find('a');
  expect(first?.definition.steps[0]?.normal?.retry.attempts).toBe(2);
  await memory.commandDefaults.put(recordOf({ retry: 2 }), 'any');
  await library.refresh();
  await library.rescan();
  expect(library.find('a')).toMatchObject({ version: 2 });
  expect(library.find('a')?.definition.steps[0]?.normal?.retry.attempts).toBe(3);
  expect(first?.definition.steps[0]?.normal?.retry.attempts).toBe(2);
});

it('no flow is saved while it is not known what it inherits', async () => {
  memory.down = true;
  write('a.json', 'x', 'a');
  await library.start();
  expect(store.versions).toEqual([]);
  expect(library.unsaved()).toEqual(['a']);
  memory.down = false;
  await clock.advance(2_000);
  await library.rescan();
  expect(library.find('a')?.version).toBe(1);
});

it('warns of parameters that commands lack, at the start and with each new version', async () => {
  const commands = {
    modules: () => ['m'],
    commands: () => ['c', 'd'],
    schemas: () => [{ required: ['ms'] }],
  };
  library = new FlowLibrary({ path, clock, store, ...kept(), observer, commands: () => commands });
  const flow = (command: string): string => {
    return JSON.stringify({ f: { input: {}, steps: [{ normal: { module: 'm', command } }] } });
  };
  writeFileSync(join(path, 'f.json'), flow('c'));
  await library.start();
  writeFileSync(join(path, 'f.json'), flow('d'));
  await library.rescan();
  const told = observer.named('flow_file_warning').map(({ message }) => message);
  expect(told.map((text) => /`m\..` requires `ms`, and nothing gives it/.exec(text)?.[0])).toEqual([
    '`m.c` requires `ms`, and nothing gives it',
    '`m.d` requires `ms`, and nothing gives it',
  ]);
});

function recordOf(defaults: JsonObject): CommandRecord {
  return { module: 'm', command: 'x', updatedAt: 0, defaults };
}

describe('the text of a flow', () => {
  const STEP = '{ "normal": { "module": "m", "command": "x" } }';
  const write = (text: string): void => writeFileSync(join(path, 'a.jsonc'), text);

  it('is kept with each version, and the newest one for a version', async () => {
    write(`// why\n{ "a": [${STEP}] }`);
    await library.start();
    expect(await texts('a')).toEqual([`// why\n[${STEP}]\n`]);
    const version = library.find('a');
    write(`// because\n{ "a": [ ${STEP} ] }`);
    await library.rescan();
    expect(await texts('a')).toEqual([`// because\n[ ${STEP} ]\n`]);
    expect(library.find('a')).toBe(version);
    expect(observer.named('flow_loaded')).toHaveLength(1);
    write(`{ "a": [${STEP}, ${STEP}] // twice\n}`);
    await library.rescan();
    expect(await texts('a')).toEqual([
      `// because\n[ ${STEP} ]\n`,
      `[${STEP}, ${STEP}] // twice\n`,
    ]);
  });

  it('of a file that was changed meanwhile replaces the stored one at the start', async () => {
    write(`{ "a": [${STEP}] }`);
    await library.start();
    await library.stop();
    const put = jest.spyOn(sources, 'put');
    library = new FlowLibrary({ path, clock, store, ...kept(), observer });
    await library.start();
    expect(put).not.toHaveBeenCalled();
    await library.stop();
    write(`{ "a": [${STEP}] /* tell ann */ }`);
    library = new FlowLibrary({ path, clock, store, ...kept(), observer });
    await library.start();
    expect(await texts('a')).toEqual([`[${STEP}] /* tell ann */\n`]);
  });

  it('is kept once the store answers; the flow can be started before', async () => {
    const put = jest.spyOn(sources, 'put').mockRejectedValueOnce(new StoreUnavailable('away'));
    write(`{ "a": [${STEP}] }`);
    await library.start();
    expect(library.find('a')?.version).toBe(1);
    expect(library.unsaved()).toEqual(['a']);
    await clock.advance(1_000);
    await library.rescan();
    expect(put).toHaveBeenCalledTimes(2);
    expect(await texts('a')).toEqual([`[${STEP}]\n`]);
    expect(library.unsaved()).toEqual([]);
  });
});
