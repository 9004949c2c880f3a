import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { archivedTask } from '#core/stored';
import { endedOf, sampleTask } from '#testing';
import { EXIT } from '../exit.js';
import { type CliRun, run } from '../run-cli-spec.js';
import { json, StubServer } from '../stub-server-spec.js';

let server: StubServer;
let folder: string;
/** The tasks on the server, as lines; an import takes those that it does not refuse. */
let stored: readonly string[];
let taken: string[];
let refusal: string | null;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backstep-cli-archive-'));
  stored = Array.from({ length: 5 }, () => JSON.stringify(archivedTask(endedOf(sampleTask()))));
  taken = [];
  refusal = null;
  server = await StubServer.start();
  server.answer = ({ body, method, path: asked }, response) => {
    if (method === 'POST') {
      const { lines } = JSON.parse(body) as { lines: readonly string[] };
      if (refusal === null) taken.push(...lines);
      const result = refusal === null ? 'imported' : 'refused';
      const report = { result, taskId: null, message: refusal };
      return json(response, { results: lines.map((_, index) => ({ index, ...report })) });
    }
    const from = Number(new URL(asked, 'http://stub').searchParams.get('cursor') ?? 0);
    const nextCursor = from + 2 < stored.length ? `${from + 2}` : null;
    return json(response, { items: stored.slice(from, from + 2), page: { nextCursor } });
  };
});
afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

function archive(...argv: readonly string[]): Promise<CliRun> {
  return run(['archive', ...argv, '--url', server.url]);
}

async function onlyFile(): Promise<string> {
  const [entry = ''] = (await readFile(path.join(folder, 'manifest.jsonl'), 'utf8')).split('\n');
  return path.join(folder, (JSON.parse(entry) as { file: string }).file);
}

describe('archive', () => {
  it('says on a terminal alone how far it has come, and leaves nothing of that', async () => {
    const argv = ['archive', 'export', '--out', folder, '--url', server.url];
    const { stderr } = await run(argv, { isTTY: true });
    expect(stderr).toContain('\r\x1b[K2 tasks written');
    expect(stderr.endsWith(`\r\x1b[K5 tasks written into ${folder}\n`)).toBe(true);
    for (const more of [{ env: { TERM: 'dumb' }, isTTY: true }, {}]) {
      expect((await run(argv, more)).stderr).not.toContain('\r');
    }
    expect((await run([...argv, '-q'], { isTTY: true })).stderr).toBe('');
  });

  it('exports what a search finds, and imports it again', async () => {
    const written = await archive('export', '--out', folder, '--query', 'age:>1d', '--flow', 'f');
    expect([written.code, written.stdout]).toEqual([EXIT.done, '']);
    expect(written.stderr).toContain(`5 tasks written into ${folder}`);
    const search = new URL(server.seen[0]!.path, 'http://stub').searchParams;
    expect([search.get('q'), search.get('flow')]).toEqual(['age:>1d', 'f']);
    const { code, stdout } = await archive('import', folder, '-o', 'jsonl');
    expect([code, stdout]).toEqual([EXIT.done, '{"imported":5,"present":0,"refused":0}\n']);
    expect(taken).toEqual(stored);
  });

  it('adds to an archive that is there', async () => {
    await archive('export', '--out', folder);
    await archive('export', '--out', folder);
    await archive('import', folder);
    expect(taken).toHaveLength(10);
  });

  it('makes an archive of no task as well', async () => {
    stored = [];
    await archive('export', '--out', folder);
    expect(await archive('import', folder)).toMatchObject({ code: EXIT.done });
  });

  it('says of each line that was refused where it stands', async () => {
    await archive('export', '--out', folder);
    refusal = 'is not final';
    const { code, stderr } = await archive('import', folder);
    expect(code).toBe(EXIT.conflict);
    expect(stderr).toMatch(/^\S+\.jsonl\.gz:1: the line is not final$/m);
  });

  it('imports nothing of a file that is damaged', async () => {
    await archive('export', '--out', folder);
    const file = await onlyFile();
    await writeFile(file, (await readFile(file)).subarray(1));
    const { code, stderr } = await archive('import', folder);
    expect([code, taken]).toEqual([EXIT.usage, []]);
    expect(stderr).toContain('it was changed or cut short');
  });

  it('refuses a folder that is no archive, and one that cannot be written', async () => {
    expect(await archive('import', folder)).toMatchObject({ code: EXIT.usage });
    const file = path.join(folder, 'file');
    await writeFile(file, '');
    const { code, stderr } = await archive('export', '--out', file);
    expect([code, await readdir(folder)]).toEqual([EXIT.usage, ['file']]);
    expect(stderr).toContain('cannot write into');
  });
});
