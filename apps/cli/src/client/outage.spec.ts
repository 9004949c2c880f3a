import { expect, it } from '@jest/globals';
import { CliError, EXIT } from '../exit.js';
import type { HttpOptions } from './http.js';
import { Outage } from './outage.js';

const away = new CliError(EXIT.unreachable, 'nobody is there');

function given(signal = new AbortController().signal) {
  const said: string[] = [];
  const options = { signal, url: 'http://gateway', program: 'backstep' } as HttpOptions;
  const outage = new Outage(options, {
    lost: (reason) => said.push(`lost: ${reason}`),
    regained: () => said.push('regained'),
  });
  return { outage, said };
}

it('repeats a read until it is answered, and says once that the connection was lost', async () => {
  const { outage, said } = given();
  let tries = 0;
  const read = async (): Promise<string> => {
    tries += 1;
    if (tries < 3) throw away;
    return 'here';
  };
  expect(await outage.bridge(read)).toBe('here');
  expect(await outage.bridge(read)).toBe('here');
  expect(said).toEqual(['lost: nobody is there', 'regained']);
});

it('takes a refusal for the answer that it is', async () => {
  const { outage, said } = given();
  const refused = new CliError(EXIT.notFound, 'there is no such task');
  await expect(outage.bridge(() => Promise.reject(refused))).rejects.toBe(refused);
  expect(said).toEqual([]);
});

it('ends with the time limit of the command', async () => {
  const limit = new AbortController();
  const { outage } = given(limit.signal);
  const late = new CliError(EXIT.timeOver, 'timed out');
  const read = async (): Promise<string> => {
    limit.abort(late);
    throw away;
  };
  await expect(outage.bridge(read)).rejects.toBe(late);
});
