import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { isGone, processHome } from './process-home.js';

const itOnLinux = process.platform === 'linux' ? it : it.skip;

/** The home of another process of this machine, by the number and start of that one. */
function homeOf(pid: number): string {
  const started = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[19]!;
  return processHome()!.replace(/\S+ \S+$/, `${pid} ${started}`);
}

itOnLinux('takes a living process, and one that stands still, for no dead one', async () => {
  expect(isGone(processHome()!)).toBe(false);
  const child = spawn('sleep', ['600']);
  try {
    await once(child, 'spawn');
    const home = homeOf(child.pid!);
    expect(isGone(home)).toBe(false);
    child.kill('SIGSTOP');
    expect(isGone(home)).toBe(false);
  } finally {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
});

itOnLinux('knows that a process has ended', async () => {
  const child = spawn('sleep', ['600']);
  await once(child, 'spawn');
  const home = homeOf(child.pid!);
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
  expect(isGone(home)).toBe(true);
});

itOnLinux('knows that its number has gone to another process', () => {
  expect(isGone(processHome()!.replace(/\d+$/, '1'))).toBe(true);
});

itOnLinux('says nothing of a process at another place', () => {
  const [host, boot, ...dead] = processHome()!
    .replace(/\d+ \d+$/, '4194305 1')
    .split(' ');
  expect(isGone([host, boot, ...dead].join(' '))).toBe(true);
  expect(isGone(['another-host', boot, ...dead].join(' '))).toBe(false);
  expect(isGone([host, 'another-boot', ...dead].join(' '))).toBe(false);
  expect(isGone([host, boot, 'pid:[1]', ...dead.slice(1)].join(' '))).toBe(false);
});

it.each(['', 'host', 'host boot pid time x y', 'host boot pid time 1', ' 1 1'])(
  'says nothing of what is no home: %j',
  (text) => {
    expect(isGone(text)).toBe(false);
  },
);
