import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { accessFileSchema } from './access-schema.js';

const file = new URL('../../../schemas/access.v1.json', import.meta.url);

it('schemas/access.v1.json, which editors use, is what the file of bindings is checked with', () => {
  if (process.env['UPDATE_SCHEMA'] === '1') {
    writeFileSync(file, `${JSON.stringify(accessFileSchema, null, 2)}\n`);
  }
  // After a change of access-schema.ts: run this once with UPDATE_SCHEMA=1, then format.
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(accessFileSchema);
});

it('is a schema', () => {
  const ajv = new Ajv2020({ strictTypes: false });
  expect(ajv.validateSchema(accessFileSchema) && ajv.errors).toBe(null);
});
