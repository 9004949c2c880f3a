import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { validateFlowText } from '#flow-files';
import { CliError, EXIT } from '../exit.js';
import { run } from '../run-cli-spec.js';
import type { Session } from '../session.js';
import { json, problem, StubServer } from '../stub-server-spec.js';
import { findingPages } from './flow-validate.js';

const STEPS = '[{"normal": {"module": "lab", "command": "succeed"}}]';
const GOOD = `{"a": {"input": {}, "steps": ${STEPS}}}`;
const WARNED = `{"a": ${STEPS}}`;
const BAD = '{\n  "a": [{"normal": {"module": "lab"}}]\n}';

describe('flow validate', () => {
  let cwd: string;
  /** Nothing listens there any more. */
  let nobody: string;

  beforeAll(async () => {
    const gone = await StubServer.start();
    nobody = gone.url;
    await gone.stop();
  });

  beforeEach(() => {
    cwd = mkdtempSync(path.join(tmpdir(), 'backstep-cli-'));
    writeFileSync(path.join(cwd, 'good.json'), GOOD);
    writeFileSync(path.join(cwd, 'bad.json'), BAD);
  });

  afterEach(() => rmSync(cwd, { recursive: true }));

  const validate = (...argv: string[]) =>
    run(['flow', 'validate', ...argv, '--url', nobody], { cwd });

  it('is content with good files, without a server, and says what was not checked', async () => {
    const { code, stderr, stdout } = await validate('good.json');
    expect({ code, stdout }).toEqual({ code: EXIT.done, stdout: '' });
    expect(stderr).toBe(
      `1 file checked, nothing wrong
modules and commands were not checked: Backstep cannot be reached at ${nobody}: the connection was refused
`,
    );
  });

  it('asks a gateway for what only it knows, and tells each mistake once', async () => {
    const server = await StubServer.start();
    const place = { line: 1, column: 30, hint: 'Mend it.' };
    const unknown = { ...place, pointer: '/a/steps/0', code: 'UNKNOWN_COMMAND', message: 'No.' };
    server.answer = ({ body }, response) => {
      const problems = body === GOOD ? [unknown] : validateFlowText(body).problems;
      json(response, { valid: false, problems, warnings: [] });
    };
    const { url } = server;
    const files = ['good.json', 'bad.json', '-o', 'json'];
    const { code, stderr, stdout } = await run(
      ['flow', 'validate', ...files, '--url', server.url],
      { cwd },
    );
    await server.stop();
    expect(server.seen).toMatchObject([
      { path: '/v1/flows:validate', body: GOOD, headers: { 'content-type': 'application/jsonc' } },
      { body: BAD },
    ]);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toBe('2 files checked, 2 with problems\n');
    const type = '/docs/findings#MISSING_MEMBER';
    expect(JSON.parse(stdout)).toMatchObject({
      problems: [
        { file: 'good.json', code: 'UNKNOWN_COMMAND' },
        { file: 'bad.json', code: 'MISSING_MEMBER', type, docs: `${url}${type}` },
      ],
    });
  });

  it('leads to each code once, at the gateway that answered', async () => {
    const server = await StubServer.start();
    server.answer = ({ body }, response) => json(response, validateFlowText(body));
    writeFileSync(path.join(cwd, 'worse.json'), `{"a": [{"norml": 1}], "b": ${BAD.slice(8)}`);
    const { url } = server;
    const argv = ['flow', 'validate', 'bad.json', 'worse.json', '--url', `${url}/`];
    const { stderr } = await run(argv, { cwd });
    await server.stop();
    expect(stderr.split('\n').slice(1)).toEqual([
      'Each code with an example, and the same mended:',
      ...['MISSING_MEMBER', 'UNKNOWN_MEMBER'].map((code) => `  ${url}/docs/findings#${code}`),
      '',
    ]);
  });

  it('leads to no gateway that was not asked', async () => {
    const server = await StubServer.start();
    const { url } = server;
    const argv = ['flow', 'validate', 'none.json', '--url', url];
    const { stderr } = await run(argv, { cwd });
    await server.stop();
    expect(server.seen).toEqual([]);
    expect(stderr).toContain('/docs/findings#');
    expect(stderr).not.toContain(url);
  });

  it('goes by the files alone where the gateway refuses', async () => {
    const server = await StubServer.start();
    server.answer = (_request, response) =>
      problem(response, { status: 401, code: 'UNAUTHENTICATED' });
    const argv = ['flow', 'validate', 'good.json', '--url', server.url];
    const { code, stderr } = await run(argv, { cwd });
    await server.stop();
    expect(code).toBe(EXIT.done);
    expect(stderr).toMatch(/^modules and commands were not checked: .*\(UNAUTHENTICATED\)$/m);
  });

  it('does not call unchecked what executors of its own have told', async () => {
    writeFileSync(path.join(cwd, 'own.mjs'), 'export default { module: class Own {} };');
    const { stderr } = await validate('good.json', '--executors', 'own.mjs');
    expect(stderr).toMatch(
      /^modules and commands beside those of --executors and of Backstep were not checked: /m,
    );
  });

  it('says for each mistake where it is, what it is and what to write', async () => {
    const { code, stderr, stdout } = await validate('good.json', 'bad.json', 'none.json', '.');
    expect(code).toBe(EXIT.usage);
    expect(stdout).toMatch(/^bad\.json:2:\d+ MISSING_MEMBER .*command/m);
    expect(stdout).toMatch(/^none\.json:1:1 FILE_NOT_READABLE /m);
    expect(stdout).toMatch(
      /^\.:1:1 FILE_NOT_READABLE This is a folder\. Name its files: \*\.json$/m,
    );
    expect(stderr).toMatch(/^4 files checked, 3 with problems\n/);
  });

  it('colours warnings only where standard error takes colours', async () => {
    writeFileSync(path.join(cwd, 'warned.json'), WARNED);
    const argv = ['flow', 'validate', 'warned.json', '--url', nobody];
    const { stderr } = await run(argv, { cwd, isTTY: true, isErrTTY: false });
    expect(stderr).toMatch(/^warned\.json:1:2 NO_INPUT /);
  });

  it('shows warnings, which make nothing wrong unless that is asked for', async () => {
    writeFileSync(path.join(cwd, 'warned.json'), WARNED);
    const lenient = await validate('warned.json');
    expect(lenient).toMatchObject({ code: EXIT.done, stdout: '' });
    expect(lenient.stderr).toMatch(/^warned\.json:1:2 NO_INPUT /);
    expect(lenient.stderr).toContain('1 file checked, nothing wrong, 1 warning\n');
    const strict = await validate('warned.json', '--strict');
    expect(strict.code).toBe(EXIT.usage);
    expect(strict.stderr).toMatch(/^1 file checked, 1 with a problem\n/);
    expect(strict.stdout).toMatch(/^warned\.json:1:2 NO_INPUT /);
    const { stdout } = await validate('warned.json', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ valid: true, warnings: [{ code: 'NO_INPUT' }] });
  });

  it('reads standard input, and a pipe, but no device that might have no end', async () => {
    const piped = await run(['flow', 'validate', '-', '--url', nobody], { cwd, stdin: BAD });
    expect(piped.stdout).toMatch(/^-:2:\d+ MISSING_MEMBER /);
    execFileSync('mkfifo', [path.join(cwd, 'pipe')]);
    spawn('sh', ['-c', 'cat bad.json > pipe'], { cwd });
    expect((await validate('pipe')).stdout).toMatch(/^pipe:2:\d+ MISSING_MEMBER /);
    expect((await validate('/dev/zero')).stdout).toMatch(/FILE_NOT_READABLE .*ENODEV/);
  });

  it('can be ended while it waits for a pipe that nobody writes to', async () => {
    execFileSync('mkfifo', [path.join(cwd, 'pipe')]);
    const over = new CliError(EXIT.timeOver, 'over');
    const onSession = (session: Session): void => void setImmediate(() => session.abort(over));
    const { code } = await run(['flow', 'validate', 'pipe', '--url', nobody], { cwd, onSession });
    expect(code).toBe(EXIT.timeOver);
  });

  it('names a space that JSON does not have', async () => {
    writeFileSync(path.join(cwd, 'odd.json'), `\u00a0${GOOD}`);
    expect((await validate('odd.json')).stdout).toContain('The space U+00A0 is no space of JSON.');
  });

  it('tells programs the same', async () => {
    const { stdout } = await validate('bad.json', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      valid: false,
      problems: [{ file: 'bad.json', line: 2, code: 'MISSING_MEMBER' }],
    });
  });
});

describe('places of findings', () => {
  let clone: string;
  let page: string;

  beforeEach(() => {
    clone = mkdtempSync(path.join(tmpdir(), 'backstep-clone-'));
    mkdirSync(path.join(clone, 'docs'));
    page = path.join(clone, 'docs', 'findings.md');
    writeFileSync(page, '# Findings\n');
  });

  afterEach(() => rmSync(clone, { recursive: true }));

  /** The place of a code for a command in `cwd`; null: there is none. */
  async function placeOf(cwd: string, isAnswered = false): Promise<string | null> {
    let session: Session | undefined;
    const onSession = (opened: Session): void => {
      session = opened;
    };
    const argv = ['flow', 'validate', 'none.json', '--url', 'http://127.0.0.1:9/at'];
    await run(argv, { cwd, onSession });
    return findingPages(session!, isAnswered, page)?.('NO_INPUT') ?? null;
  }

  it('are in the clone, by the shortest path that leads there', async () => {
    expect(await placeOf(clone)).toBe(path.join('docs', 'findings.md#no_input'));
    expect(await placeOf(path.join(clone, 'docs'))).toBe('findings.md#no_input');
    expect(await placeOf(tmpdir())).toBe(
      path.join(path.basename(clone), 'docs', 'findings.md#no_input'),
    );
    expect(await placeOf(import.meta.dirname)).toBe(`${page}#no_input`);
  });

  it('are at the gateway that answered, whatever the clone has', async () => {
    expect(await placeOf(clone, true)).toBe('http://127.0.0.1:9/at/docs/findings#NO_INPUT');
  });

  it('are nowhere without both', async () => {
    rmSync(page);
    expect(await placeOf(clone)).toBeNull();
  });
});
