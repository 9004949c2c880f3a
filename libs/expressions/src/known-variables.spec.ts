import { expect, it } from '@jest/globals';
import { listedVariables } from './known-variables.js';

it('takes the variables that are listed and set, and no others', () => {
  const variables = { REGION: 'eu', SECRET: 'x', EMPTY: '' };
  const names = ['REGION', 'EMPTY', 'MISSING', 'toString'];
  expect(listedVariables(names, variables)).toEqual({ REGION: 'eu', EMPTY: '' });
});
