import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { task } from './task-spec.js';
import { FamilyReader } from './use-children.js';

const CHILD = { ...task('running', []), taskId: 'c' };
let page: AbortController;

beforeEach(() => {
  page = new AbortController();
  Object.assign(globalThis, { document: { visibilityState: 'visible' } });
});
afterEach(() => {
  page.abort();
  jest.spyOn(globalThis, 'fetch').mockRestore();
  Reflect.deleteProperty(globalThis, 'document');
});

it('child tasks that could not be read are read again, though the stream goes on', async () => {
  let looks = 0;
  jest.spyOn(globalThis, 'fetch').mockImplementation(async (address: unknown) => {
    // A stream that is open, and tells nothing.
    if (String(address).startsWith('/v1/events')) return new Response(new ReadableStream());
    looks += 1;
    if (looks === 1) return new Response('', { status: 503 });
    return Response.json({ items: [CHILD], page: { nextCursor: null } });
  });
  const whole = new Promise<number | undefined>((resolve) => {
    const reader = new FamilyReader('p', page.signal, ({ children, isWhole }) => {
      if (isWhole === true) resolve(children?.size);
    });
    void reader.run(true);
  });
  expect(await whole).toBe(1);
});
