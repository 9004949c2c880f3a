import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { GroupKeeper } from './group-keeper.js';

/** A program in a group of its own, which ends when its standard input does. */
function program(): { readonly child: ChildProcess; readonly group: number } {
  const child = spawn('cat', { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  return { child, group: child.pid as number };
}

describe('the groups of programs whose worker has died', () => {
  it('are ended, but for those that had ended before', async () => {
    const [left, ended, other] = [program(), program(), program()];
    const keeper = new GroupKeeper();
    for (const { group } of [left, ended, other]) keeper.add(group);
    keeper.drop(ended.group);
    const exits = [left, other].map(({ child }) => once(child, 'exit'));
    // This is what the death of the worker does.
    keeper.close();
    expect(await Promise.all(exits)).toEqual([
      [null, 'SIGTERM'],
      [null, 'SIGTERM'],
    ]);
    expect(ended.child.exitCode).toBeNull();
    ended.child.stdin?.end();
    expect(await once(ended.child, 'exit')).toEqual([0, null]);
  });
});
