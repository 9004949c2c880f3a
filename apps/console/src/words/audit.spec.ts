import { expect, it } from '@jest/globals';
import { operationWords } from './audit.js';

it.each([
  ['POST /v1/tasks/{taskId}:skip', 'Skip a step of task'],
  ['POST /v1/tasks/{taskId}/steps/{run}:complete', 'Complete a step of task'],
  ['POST /v1/tasks', 'Create task'],
  ['POST /v1/tasks:batch', 'Start task'],
  ['PUT /v1/flows/{name}', 'Store flow'],
  ['DELETE /v1/keys/{id}', 'Remove API key'],
  ['POST /v1/operations/{operationId}:approve', 'Approve operation'],
  ['END /v1/operations/{operationId}', 'End of operation'],
])('the audit log says %s in words', (operation, words) => {
  expect(operationWords(operation)).toBe(words);
});

it('the audit log shows an operation that it has no words for as it is', () => {
  expect(operationWords('POST /modules/lab/odd')).toBeNull();
});
