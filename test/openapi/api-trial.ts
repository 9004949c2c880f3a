import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { createKey, planStandalone } from '../stack/index.js';
import { Trial } from '../trial/index.js';
import { findTools, type OpenApiTools } from './find-tools.js';

const run = promisify(execFile);
const WHY = '.ci/install-tools has not been run';

/** Tests with the tools; skipped by name without them, and in the gate failed. */
export function describeTools(name: string, body: (found: OpenApiTools) => void): void {
  const tools = findTools();
  if (tools !== null) describe(name, () => body(tools));
  else if (process.env['CI'] === 'true') it(name, () => expect(WHY).toBe('installed'));
  else describe.skip(`${name} (skipped: ${WHY})`, () => it('is read', () => undefined));
}

/** A Backstep that asks for keys, and its document in a file: what tools are tried with. */
export class ApiTrial extends Trial {
  url = '';
  key = '';
  document = '';

  constructor(
    name: string,
    private readonly found: OpenApiTools,
  ) {
    super(name);
  }

  override async open(): Promise<void> {
    await super.open();
    const settings = { auth: 'keys', log: 'warn', badKeysPerMinute: 'none' } as const;
    const backstep = await planStandalone({ folder: this.folder, settings });
    this.key = await createKey(this.folder, 'tester');
    this.use({ stop: () => backstep.kill() });
    await backstep.start();
    this.url = backstep.url;
    const headers = { authorization: `Bearer ${this.key}` };
    const answer = await fetch(`${this.url}/openapi.json`, { headers });
    this.document = path.join(this.folder, 'openapi.json');
    await writeFile(this.document, await answer.text());
  }

  /** The output of one of the tools; throws where it fails. */
  async say(program: string, args: readonly string[]): Promise<string> {
    const { HOME = '/', PATH = '' } = process.env;
    // Redocly looks for newer versions of itself, and for who uses it.
    const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const env = { HOME, PATH: `${this.found.pythonBin}:${PATH}`, NO_COLOR: '1', ...quiet };
    const options = { cwd: this.folder, env, maxBuffer: 64 * 1024 * 1024 };
    const { stderr, stdout } = await run(program, [...args], options);
    return `${stdout}\n${stderr}`;
  }
}
