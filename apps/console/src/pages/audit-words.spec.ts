import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { operationWords } from './audit-words.js';

it.each([
  ['POST /v1/tasks/{taskId}:skip', 'Skipped a step of task'],
  ['POST /v1/tasks/{taskId}/steps/{run}:complete', 'Completed a step of task'],
  ['POST /v1/tasks', 'Created task'],
  ['POST /v1/tasks:batch', 'Started task'],
  ['PUT /v1/flows/{name}', 'Stored flow'],
  ['DELETE /v1/keys/{id}', 'Removed API key'],
  ['POST /v1/operations/{operationId}:approve', 'Approved operation'],
])('the audit log says %s in words', (operation, words) => {
  expect(operationWords(operation)).toBe(words);
});

it('the audit log has words for every operation that changes something', () => {
  const table = readFileSync('libs/access/src/operations.ts', 'utf8');
  const changing = [...table.matchAll(/^ {2}'((?:POST|PUT|DELETE) \/v1\/[^']+)':/gm)].map(
    ([, operation = '']) => operation,
  );
  expect(changing.length).toBeGreaterThan(30);
  expect(changing.filter((operation) => operationWords(operation) === null)).toEqual([]);
});

it('the audit log shows an operation that it has no words for as it is', () => {
  expect(operationWords('POST /modules/lab/odd')).toBeNull();
});
