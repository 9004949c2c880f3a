import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SystemClock } from '#machine';
import { WRONG_FROM_OTHERS, WRONG_JSON } from '../../../test/fixtures/wrong-json.js';
import { fetchJson } from './make-callers.js';

let server: Server;
let answer = '';

beforeAll(async () => {
  server = createServer((_request, response) => void response.end(answer));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});

afterAll(() => {
  server.close();
});

function read(text: string): Promise<unknown> {
  answer = text;
  const { port } = server.address() as AddressInfo;
  return fetchJson(`http://127.0.0.1:${port}/`, new SystemClock());
}

describe('the JSON at an address', () => {
  it('is read', async () => {
    expect(await read('{"keys":[]}')).toEqual({ keys: [] });
  });

  it.each([...WRONG_JSON, ...WRONG_FROM_OTHERS])('is refused as $text', async (wrong) => {
    await expect(read(wrong.text)).rejects.toThrow(wrong.placed);
  });

  it('has at most 1 MiB', async () => {
    await expect(read(`"${'x'.repeat(1024 * 1024)}"`)).rejects.toThrow('more than 1048576 bytes');
  });
});
