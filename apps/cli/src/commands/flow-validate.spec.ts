import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EXIT } from '../exit.js';
import { run } from '../run-cli-spec.js';

const STEPS = '[{"normal": {"module": "lab", "command": "succeed"}}]';
const GOOD = `{"a": {"input": {}, "steps": ${STEPS}}}`;
const WARNED = `{"a": ${STEPS}}`;
const BAD = '{\n  "a": [{"normal": {"module": "lab"}}]\n}';

describe('flow validate', () => {
  let cwd: string;

  beforeEach(() => {
    cwd = mkdtempSync(path.join(tmpdir(), 'backstep-cli-'));
    writeFileSync(path.join(cwd, 'good.json'), GOOD);
    writeFileSync(path.join(cwd, 'bad.json'), BAD);
  });

  afterEach(() => rmSync(cwd, { recursive: true }));

  it('is content with good files, without a server', async () => {
    const result = await run(['flow', 'validate', 'good.json'], { cwd });
    expect(result).toEqual({
      code: EXIT.done,
      stdout: '',
      stderr: '1 file checked, nothing wrong\n',
    });
  });

  it('says for each mistake where it is, what it is and what to write', async () => {
    const argv = ['flow', 'validate', 'good.json', 'bad.json', 'none.json', '.'];
    const { code, stderr, stdout } = await run(argv, { cwd });
    expect(code).toBe(EXIT.usage);
    expect(stdout).toMatch(/^bad\.json:2:\d+ MISSING_MEMBER .*command/m);
    expect(stdout).toMatch(/^none\.json:1:1 FILE_NOT_READABLE /m);
    expect(stdout).toMatch(
      /^\.:1:1 FILE_NOT_READABLE This is a folder\. Name its files: \*\.json$/m,
    );
    expect(stderr).toBe('4 files checked, 3 with problems\n');
  });

  it('shows warnings, which make nothing wrong unless that is asked for', async () => {
    writeFileSync(path.join(cwd, 'warned.json'), WARNED);
    const argv = ['flow', 'validate', 'warned.json'];
    const lenient = await run(argv, { cwd });
    expect(lenient).toMatchObject({ code: EXIT.done, stdout: '' });
    expect(lenient.stderr).toMatch(/^warned\.json:1:2 NO_INPUT /);
    expect(lenient.stderr).toContain('1 file checked, nothing wrong, 1 warning\n');
    const strict = await run([...argv, '--strict'], { cwd });
    expect(strict).toMatchObject({
      code: EXIT.usage,
      stderr: '1 file checked, 1 with a problem\n',
    });
    expect(strict.stdout).toMatch(/^warned\.json:1:2 NO_INPUT /);
    const { stdout } = await run([...argv, '-o', 'json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ valid: true, warnings: [{ code: 'NO_INPUT' }] });
  });

  it('tells programs the same', async () => {
    const { stdout } = await run(['flow', 'validate', 'bad.json', '-o', 'json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({
      valid: false,
      problems: [{ file: 'bad.json', line: 2, code: 'MISSING_MEMBER' }],
    });
  });
});
