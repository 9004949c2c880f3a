import { expect, it } from '@jest/globals';
import { CliError, EXIT } from '../exit.js';
import type { HttpOptions } from './http.js';
import { Outage } from './outage.js';

const away = new CliError(EXIT.unreachable, 'nobody is there');

function given(signal = new AbortController().signal, triesMax?: number) {
  const said: string[] = [];
  const options = { signal, url: 'http://gateway', program: 'backstep' } as HttpOptions;
  const listener = {
    lost: (reason: string) => said.push(`lost: ${reason}`),
    regained: () => said.push('regained'),
  };
  const outage = new Outage(options, listener, triesMax);
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

it('ends with the error of the last try, as it is', async () => {
  const { outage } = given(undefined, 1);
  await expect(outage.bridge(() => Promise.reject(away))).rejects.toBe(away);
  const { outage: other } = given(undefined, 0);
  await expect(other.bridge(() => Promise.reject(new Error('reset')))).rejects.toThrow(
    'Backstep cannot be reached at http://gateway: reset',
  );
});
