import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { readLines } from './line-reader.js';

const CHUNKS = 20;

it('reads one chunk with each turn of the loop, however much a program writes', async () => {
  const stream = new PassThrough({ highWaterMark: 2 ** 20 });
  for (let n = 0; n < CHUNKS; n += 1) stream.write(`line ${n}\n`);
  stream.end();
  let turn = 0;
  const next = (): void => {
    turn += 1;
    if (!stream.closed) setImmediate(next);
  };
  next();
  const turns: number[] = [];
  await readLines(stream, 100, () => turns.push(turn));
  expect(new Set(turns).size).toBe(CHUNKS);
  expect(turns).toHaveLength(CHUNKS);
});
