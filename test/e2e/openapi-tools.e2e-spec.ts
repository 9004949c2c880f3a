import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DocShell } from '../docs/doc-shell.js';
import { codeBlocks } from '../docs/markdown.js';
import { readPage } from '../docs/pages.js';
import { ApiTrial, describeTools } from '../openapi/api-trial.js';
import { findGoTools } from '../openapi/find-tools.js';
import { RoughProxy } from '../openapi/rough-proxy.js';
import { REPOSITORY } from '../stack/index.js';

jest.setTimeout(600_000);

/** Words of a tool that is not content, whatever its exit code says. */
const COMPLAINT = /warning|error|unable to|unsupported|will not be generated/i;
const RULES = path.join(REPOSITORY, 'test/openapi');
const PAGE = readPage('docs/generate-a-client.md').text;

describeTools('the OpenAPI document', (found) => {
  const trial = new ApiTrial('openapi', found);
  const go = findGoTools();

  beforeAll(trial.guard(() => trial.open()));
  afterAll(() => trial.close());

  trial.it('leaves Redocly nothing to say', async () => {
    const config = path.join(RULES, 'redocly.yaml');
    const args = ['lint', trial.document, '--format=json', '--config', config];
    const said = await trial.say(found.redocly, args);
    // That the version of Node grows old is no fault of the document.
    const report = JSON.parse(/^\{[^]*^\}/m.exec(said)?.[0] ?? '{}') as { totals?: object };
    expect(report.totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
  });

  trial.it('leaves Spectral nothing to say', async () => {
    const ruleset = path.join(RULES, 'spectral.yaml');
    const args = ['lint', trial.document, '--ruleset', ruleset, '--fail-severity=hint', '--quiet'];
    const said = await trial.say(found.spectral, args).catch(outputOf);
    expect(said.trim()).toBe('');
  });

  trial.it('makes functions in TypeScript', async () => {
    const client = path.join(trial.folder, 'functions');
    const args = ['-i', trial.document, '-o', client];
    expect(await trial.say(found.openapiTs, args)).not.toMatch(COMPLAINT);
    expect(await readdir(client)).toContain('sdk.gen.ts');
  });

  describe('makes a client, with which the program of the page does its work,', () => {
    /** Runs the commands under a heading of the page in a folder of its own. */
    const follow = async (language: string, env: Readonly<Record<string, string>>) => {
      const cwd = path.join(trial.folder, language);
      await mkdir(cwd);
      await cp(trial.document, path.join(cwd, 'openapi.json'));
      await symlink(path.join(REPOSITORY, 'examples'), path.join(cwd, 'examples'));
      await symlink(found.nodeModules, path.join(cwd, 'node_modules'));
      const proxy = trial.use(await RoughProxy.start(trial.url));
      const keys = { BACKSTEP_KEY: trial.key, BACKSTEP_URL: proxy.url, NO_COLOR: '1' };
      const shell = new DocShell({ cwd, env: { ...keys, ...env } });
      const { failures, stderr, stdout } = await shell.run(commandsOf(language));
      shell.close();
      // The program has said the last lines.
      const said = stdout.trimEnd().split('\n').slice(-OUTPUT.split('\n').length).join('\n');
      expect({ failures, said, stderr, stdout }).toEqual({
        failures: [],
        said: OUTPUT,
        stderr,
        stdout,
      });
      expect(proxy.troubles).toBeGreaterThanOrEqual(TROUBLES);
      return `${stdout}\n${stderr}`;
    };
    trial.it('in TypeScript', async () => {
      expect(await follow('TypeScript', {})).not.toMatch(COMPLAINT);
    });

    trial.it('in Python', async () => {
      // Flows have JSON with comments, too, for which this tool makes no second function or type.
      const known =
        /^WARNING parsing .*\s+(Unsupported content type application\/jsonc$|.*\(Unsupported content_type application\/jsonc\).*)/gm;
      const said = (await follow('Python', { PATH: pathWith(found.pythonBin) })).split(FAREWELL);
      expect(said[0]!.replace(/^Warning\(s\) .*/m, '').replaceAll(known, '')).not.toMatch(
        COMPLAINT,
      );
    });

    if (go === null) it.skip('in Go (skipped: .ci/install-tools found no Go)', () => undefined);
    else {
      trial.it('in Go', async () => {
        expect(await follow('Go', { ...go.environment, PATH: pathWith(go.bin) })).not.toMatch(
          COMPLAINT,
        );
      });
    }
  });
});

/** How the generator of Python ends what it says. */
const FAREWELL = 'If you believe this was a mistake';

/** Addresses that each program asks: four of `POST`, three of `GET`. */
const TROUBLES = 7;

/** The output of the program of each language. */
const OUTPUT = codeBlocks(PAGE).find(({ directive }) => directive === 'output')!.text;

/** The commands under a heading of the page that make a client and run the program. */
function commandsOf(language: string): string {
  const [, section = ''] = PAGE.split(`\n## ${language}\n`);
  const blocks = codeBlocks(section.split(/^## /m)[0]!);
  return blocks.find(({ directive }) => directive === 'no-run needs the generator')!.text;
}

function pathWith(folder: string): string {
  return `${folder}${path.delimiter}${process.env['PATH']}`;
}

function outputOf(error: unknown): string {
  const { message, stderr, stdout } = error as Error & { stderr?: string; stdout?: string };
  return `${stdout ?? ''}${stderr ?? ''}` || message;
}
