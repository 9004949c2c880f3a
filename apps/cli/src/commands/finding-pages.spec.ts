import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { run } from '../run-cli-spec.js';
import type { Session } from '../session.js';
import { findingPages } from './finding-pages.js';

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
