import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { GroupKeeper } from './group-keeper.js';

jest.setTimeout(60_000);

/** A program in a group of its own, which ends when its standard input does. */
function program(): { readonly child: ChildProcess; readonly group: number } {
  const child = spawn('cat', { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  return { child, group: child.pid as number };
}

describe('the groups of programs whose worker has died', () => {
  it('are ended, but for those that had ended before, and the folder is removed', async () => {
    const [left, ended, other] = [program(), program(), program()];
    const folder = await mkdtemp(path.join(tmpdir(), 'keeper of groups-'));
    await mkdir(path.join(folder, 'attempt-1'));
    const keeper = new GroupKeeper(folder);
    for (const { group } of [left, ended, other]) keeper.add(group);
    keeper.drop(ended.group);
    const exits = [left, other].map(({ child }) => once(child, 'exit'));
    // This is what the death of the worker does.
    const closed = keeper.close();
    expect(await Promise.all(exits)).toEqual([
      [null, 'SIGTERM'],
      [null, 'SIGTERM'],
    ]);
    expect(ended.child.exitCode).toBeNull();
    ended.child.stdin?.end();
    expect(await once(ended.child, 'exit')).toEqual([0, null]);
    await closed;
    expect(existsSync(folder)).toBe(false);
  });
});
