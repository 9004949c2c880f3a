import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { testFileSchema } from './test-file-schema.js';

const FILE = fileURLToPath(new URL('../../schemas/flow-test.v1.json', import.meta.url));

it('schemas/flow-test.v1.json, which editors use, is what test files are checked with', () => {
  if (process.env['UPDATE_SCHEMA'] === '1') {
    writeFileSync(FILE, `${JSON.stringify(testFileSchema, null, 2)}\n`);
  }
  // After a change of test-file-schema.ts: run this once with UPDATE_SCHEMA=1, then format.
  expect(JSON.parse(readFileSync(FILE, 'utf8'))).toEqual(testFileSchema);
});
