import assert from 'node:assert/strict';
import type { LightMyRequestResponse } from 'fastify';
import { ApiDocument } from '../../../../test/fuzz/openapi.js';
import { openApiDocument } from './openapi.js';

const DOCUMENT = ApiDocument.shared(JSON.stringify(openApiDocument()));

/** The errors of a value by the schema of this name; a member it does not name is one as well. */
export function misfits(name: string, value: unknown): readonly unknown[] {
  return DOCUMENT.misfits({ $ref: `#/components/schemas/${name}` }, value);
}

const ADDRESSES = DOCUMENT.operations.map((operation) => {
  const parts = operation.path
    .split(/\{\w+\}/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return { operation, form: new RegExp(`^${parts.join('[^/:]+')}$`) };
});

/** Throws where a good answer in JSON is not one that the document promises of its address. */
export function expectDocumented(
  method: string,
  url: string,
  answer: LightMyRequestResponse,
): void {
  const [path = ''] = url.split('?');
  const found = ADDRESSES.find(({ form, operation }) => {
    return operation.method === method && form.test(path);
  });
  const isJson = /^application\/json(;|$)/.test(String(answer.headers['content-type']));
  if (found === undefined || answer.statusCode >= 400 || !isJson) return;
  const { operationId, responses } = found.operation;
  const what = `${operationId} ${answer.statusCode}: ${answer.body.slice(0, 600)}`;
  const schema = responses[answer.statusCode]?.content?.['application/json']?.schema;
  assert.ok(schema !== undefined, `undocumented answer: ${what}`);
  assert.deepEqual(DOCUMENT.misfits(schema, answer.json()), [], what);
}
