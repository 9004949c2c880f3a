import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { flowFileSchema } from './flow-schema.js';

const file = new URL('../../../schemas/flow.v1.json', import.meta.url);

it('schemas/flow.v1.json, which editors use, is what flow files are checked with', () => {
  if (process.env['UPDATE_SCHEMA'] === '1') {
    writeFileSync(file, `${JSON.stringify(flowFileSchema, null, 2)}\n`);
  }
  // After a change of flow-schema.ts: run this once with UPDATE_SCHEMA=1, then format.
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(flowFileSchema);
});

it('is a schema', () => {
  const ajv = new Ajv2020({ allowUnionTypes: true, strictTypes: false });
  expect(ajv.validateSchema(flowFileSchema) && ajv.errors).toBe(null);
});
