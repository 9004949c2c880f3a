import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '#testing';
import { type FileProblem, FlowFolder } from '../flow-folder.js';
import { DEPTH_MAX, TEXT_LENGTH_MAX } from '../read-json.js';
import { FINDING_HELP } from './index.js';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'flow-reports-'));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const RUN = '{ "normal": { "module": "lab", "command": "succeed" } }';

function many(count: number, part: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => part(n)).join(', ');
}

function order(steps: string, members = ''): string {
  return `{ "order": { "input": {}, ${members}"steps": [${steps}] } }`;
}

function write(text: string | Buffer, file = 'shop.json'): void {
  writeFileSync(join(home, 'flows', file), text);
}

function link(target: string): void {
  symlinkSync(target, join(home, 'flows/shop.json'));
}

/** Makes the case that is described. The folder is there, and empty. */
const CASES: Readonly<Record<string, () => void>> = {
  FOLDER_NOT_READABLE: () => rmSync(join(home, 'flows'), { recursive: true }),
  FILE_NOT_READABLE: () => link('shop.json'),
  FILE_OUTSIDE_FOLDER: () => {
    writeFileSync(join(home, 'shop.json'), order(RUN));
    link('../shop.json');
  },
  NOT_UTF8: () => write(Buffer.from('\uFEFF{}', 'utf16le')),
  FILE_TOO_LARGE: () => write(order(RUN).padEnd(TEXT_LENGTH_MAX + 1)),
  TOO_DEEP: () => {
    const deep = '['.repeat(DEPTH_MAX + 1) + ']'.repeat(DEPTH_MAX + 1);
    write(order(RUN, `"constants": { "deep": ${deep} }, `));
  },
  TOO_MANY_FLOWS: () => write(`{ ${many(201, (n) => `"order-${n}": [${RUN}]`)} }`),
  TOO_MANY_PROBLEMS: () => write(order(many(250, (n) => `${n}`))),
  DUPLICATE_FLOW: () => {
    write(order(RUN), 'book.json');
    write(order(RUN));
  },
  TOO_MANY_STEPS: () => write(order(many(1_001, () => RUN))),
  GROUPS_TOO_DEEP: () => write(order(nested(17))),
  TOO_MANY_EXPRESSIONS: () => {
    write(order(`{ "set": { "all": [${many(2_001, (n) => `"{% ${n} %}"`)}] } }`));
  },
};

function nested(levels: number): string {
  return levels === 0 ? RUN : `{ "group": [${nested(levels - 1)}] }`;
}

async function reports(): Promise<readonly FileProblem[]> {
  let found: readonly FileProblem[] = [];
  const folder = new FlowFolder({
    path: join(home, 'flows'),
    clock: new ManualClock(),
    onUpdate: ({ problems }) => void (found = problems),
  });
  await folder.rescan();
  await folder.stop();
  return found;
}

describe('the line that reports a finding', () => {
  it.each(Object.entries(CASES))('is that of its help: %s', async (code, make) => {
    mkdirSync(join(home, 'flows'));
    make();
    const found = (await reports()).filter((problem) => problem.code === code);
    const lines = found.map(({ column, file, hint, line, message }) => {
      const name = file.replace(`${home}/`, '');
      return `${name}:${line}:${column} ${code} ${message} ${hint}`;
    });
    expect(lines).toEqual([FINDING_HELP[code as keyof typeof FINDING_HELP].report?.line]);
  });

  it('is there for each code that has no example', () => {
    const told = Object.entries(FINDING_HELP).filter(([, { example }]) => example === null);
    expect(told.map(([code]) => code).toSorted()).toEqual(Object.keys(CASES).toSorted());
  });
});
