import { expect, it } from '@jest/globals';
import { EvaluatorUnavailable } from '#ports';
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
