import { expect, it } from '@jest/globals';
import { EvaluatorUnavailable, StoreUnavailable } from '#ports';
import { secondNest } from '../../../test/package/second-nest.js';
import { problemOf } from './problem-of.js';

it('an HttpException of another copy of Nest has its status in an answer', async () => {
  const theirs = await secondNest();
  const { HttpException } = await import('@nestjs/common');
  const error = new theirs.NotFoundException('no');
  expect(error).not.toBeInstanceOf(HttpException);
  expect(problemOf(error).code).toBe('NOT_FOUND');
});

it('expressions that cannot be evaluated now are no fault of ours', () => {
  const problem = problemOf(new EvaluatorUnavailable('expressions: closed'));
  expect(problem).toMatchObject({ code: 'OVERLOADED', headers: { 'retry-after': '1' } });
});

it('a read that the store did not answer is known to have changed nothing', () => {
  const away = new StoreUnavailable('away');
  expect(problemOf(away, true).message).toBe('The store did not answer; nothing was changed.');
  expect(problemOf(away).message).toContain('it is unknown whether anything was stored');
});
