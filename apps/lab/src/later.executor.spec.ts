import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openSqlite, type SqliteFile } from '#barrier';
import { CompleteLater } from '#executor';
import { commandContext, SystemClock } from '#testing';
import { COMPLETION_TABLE, CompletionLog } from './completion-log.js';
import { CompletionsController } from './lab.module.js';
import { LaterExecutor } from './later.executor.js';

describe('the practice command later', () => {
  let folder: string;
  let file: SqliteFile;
  let executor: LaterExecutor;
  let page: CompletionsController;

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'backstep-lab-'));
    const migrations = [COMPLETION_TABLE];
    const clock = new SystemClock();
    file = await openSqlite({ clock, file: path.join(folder, 'lab.db'), migrations });
    const log = new CompletionLog(file);
    executor = new LaterExecutor(log);
    page = new CompletionsController(log);
  });

  afterEach(async () => {
    await file.close();
    rmSync(folder, { recursive: true });
  });

  const context = (completionToken: string, taskId = 't') =>
    commandContext({ taskId, step: 's', run: 's~2', completionToken });

  it('completes later, and shows the token of the newest attempt', async () => {
    const answer = await executor.later({ timeout: '10s' }, context('first'));
    expect(answer).toEqual(new CompleteLater(10_000));
    await executor.later({ timeout: 5 }, context('second'));
    await executor.later({ timeout: 5 }, context('other', 'u'));
    const own = { step: 's', id: 's~2', direction: 'normal' };
    expect(page.completions({ taskId: 't' })).toEqual({
      items: [{ taskId: 't', ...own, token: 'second' }],
    });
    expect(page.completions({}).items).toHaveLength(2);
  });

  it('shows each token of a task, and only so many of all', async () => {
    for (let n = 0; n < 1_010; n += 1) {
      await executor.later({ timeout: 5 }, commandContext({ taskId: 't', run: `s-${n}` }));
    }
    expect(page.completions({ taskId: 't' }).items).toHaveLength(1_010);
    expect(page.completions({}).items).toHaveLength(1_000);
  });

  it('is not listed for a misspelt task', () => {
    expect(() => page.completions({ taskid: 't' })).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST' }),
    );
  });
});
