import { expect, it } from '@jest/globals';
import type { Operation } from '../api/shapes.js';
import {
  bodyOf,
  needsStep,
  type OperationForm,
  takesStep,
  triedOf,
  wordsOf,
} from './operation-form.js';

const FORM = { reason: 'why', step: ' a ' };

it.each<[OperationForm['action'], object]>([
  ['retry', {}],
  ['skip', { step: 'a' }],
  ['reset', { to: 'a' }],
  ['rollback', { to: 'a' }],
])('the body of %s has the step where the action takes one', (action, more) => {
  expect(bodyOf({ ...FORM, action }, 'status:live')).toEqual({
    action,
    q: 'status:live',
    reason: 'why',
    ...more,
  });
});

it('a rollback without a step goes all the way', () => {
  expect(bodyOf({ ...FORM, action: 'rollback', step: '' }, 'a')).not.toHaveProperty('to');
  expect([takesStep('rollback'), needsStep('rollback'), needsStep('skip')]).toEqual([
    true,
    false,
    true,
  ]);
  expect(wordsOf('rollback')).toBe('Roll back');
});

it('a dry run counts for the form that was tried, and for none that it became meanwhile', () => {
  const form: OperationForm = { ...FORM, action: 'retry' };
  const operation = { operationId: 'o' } as Operation;
  expect(triedOf({ form, operation }, form)).toBe(operation);
  expect(triedOf({ form, operation }, { ...form, action: 'terminate' })).toBeNull();
  expect(triedOf(null, form)).toBeNull();
});
