import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { STATE_MACHINES } from '../../../../test/fixtures/flow-import/state-machines.js';
import { WORKFLOWS } from '../../../../test/fixtures/flow-import/workflows.js';
import { EXIT } from '../exit.js';
import { run } from '../run-cli-spec.js';

/** Definitions of which no flow can be made, and the reason that is given. */
const REFUSED: Readonly<Record<string, RegExp>> = {
  'asl-poll': /State `Ready\?` leads back to `Wait`/,
  'conductor-twice': /same/,
};

/** Definitions with a part that a person must write anew before their flow can succeed. */
const UNWRITTEN: Readonly<Record<string, RegExp>> = {
  'conductor-scripts': /EXPRESSION_NOT_CARRIED/,
};

const SAMPLES = [
  ...Object.entries(STATE_MACHINES).map(([name, one]) => [`asl-${name}`, one] as const),
  ...Object.entries(WORKFLOWS).map(([name, one]) => [`conductor-${name}`, one] as const),
];

let cwd: string;
const imports = new Map<string, Awaited<ReturnType<typeof run>>>();

beforeAll(async () => {
  cwd = mkdtempSync(path.join(tmpdir(), 'backstep-samples-'));
  for (const [name, definition] of SAMPLES) {
    writeFileSync(path.join(cwd, `${name}.source.json`), JSON.stringify(definition, null, 2));
    const from = name.startsWith('asl-') ? 'asl' : 'conductor';
    const argv = ['flow', 'import', '--from', from, `${name}.source.json`];
    imports.set(name, await run([...argv, '--name', name, '--out', `${name}.json`], { cwd }));
  }
});

afterAll(() => rmSync(cwd, { recursive: true }));

const names = (code: number): readonly string[] => {
  return [...imports].flatMap(([name, result]) => (result.code === code ? [name] : []));
};

async function tested(...files: readonly string[]): Promise<Tested> {
  const { code, stdout } = await run(['flow', 'test', ...files, '-o', 'json'], { cwd });
  return { code, flows: (JSON.parse(stdout) as { flows: Tested['flows'] }).flows };
}

interface Tested {
  readonly code: number;
  readonly flows: readonly {
    readonly flow: string;
    readonly passed: boolean;
    readonly undisturbed: { readonly status: string; readonly why: string | null };
    readonly cells: readonly { readonly step: string; readonly met: boolean }[];
  }[];
}

function edit(file: string, change: (value: Record<string, unknown>) => void): void {
  const place = path.join(cwd, file);
  const value = JSON.parse(readFileSync(place, 'utf8')) as Record<string, unknown>;
  change(value);
  writeFileSync(place, JSON.stringify(value));
}

it('20 definitions are imported, or refused with a reason', () => {
  expect(imports.size).toBe(20);
  expect(names(EXIT.usage)).toEqual(Object.keys(REFUSED));
  expect(names(EXIT.done)).toHaveLength(18);
  for (const [name, reason] of Object.entries(REFUSED)) {
    expect(imports.get(name)?.stderr).toMatch(reason);
  }
});

it('those that are imported pass flow test with the file that was written for it', async () => {
  const files = names(EXIT.done).filter((name) => !(name in UNWRITTEN));
  const { code, flows } = await tested(...files.map((name) => `${name}.json`));
  expect(flows.filter(({ passed }) => !passed)).toEqual([]);
  expect(flows.filter(({ undisturbed }) => undisturbed.status !== 'succeeded')).toEqual([]);
  expect([flows.length, code]).toEqual([17, EXIT.done]);
  // A person and a clock answer in `conductor-people`, and none of its steps is a command.
  expect(flows.filter(({ cells }) => cells.length < 9).map(({ flow }) => flow)).toEqual([
    'with_people',
  ]);
});

it('one with an expression that was not carried fails until that is written', async () => {
  for (const [name, note] of Object.entries(UNWRITTEN)) {
    expect(imports.get(name)?.stderr).toMatch(note);
    expect(imports.get(name)?.stderr).toMatch(
      /with which scripts is rolled_back: .* not translated/,
    );
    const { code, flows } = await tested(`${name}.json`);
    expect(code).toBe(EXIT.endedOtherwise);
    expect(flows).toMatchObject([
      { undisturbed: { why: expect.stringContaining('not translated') } },
    ]);
  }
});

it('steps that leave something are held to it: less fails as more does', async () => {
  const notes = imports.get('asl-chain')?.stderr;
  expect(notes).toMatch(/NO_ROLLBACK .*reserve_seat[^]*2 steps whose failures leave something/);
  const undo = { module: 'asl', command: 'release_seat', retry: 3 };
  edit('asl-chain.json', (flows) => {
    const { steps } = flows['asl-chain'] as { steps: { rollback?: object }[] };
    steps[0]!.rollback = undo;
  });
  const less = await tested('asl-chain.json');
  expect(less.code).toBe(EXIT.endedOtherwise);
  const unmet = less.flows[0]!.cells.filter(({ met }) => !met).map(({ step }) => step);
  expect(new Set(unmet)).toEqual(new Set(['Reserve', 'Pay']));
  edit('asl-sharedHandler.test.json', (test) => delete test['expect']);
  expect((await tested('asl-sharedHandler.json')).code).toBe(EXIT.endedOtherwise);
});
