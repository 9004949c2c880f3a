import { expect, it, jest } from '@jest/globals';
import { EvaluatorUnavailable } from '#ports';
import { problemOf } from './problem-of.js';

it('an HttpException of another copy of Nest has its status in an answer', async () => {
  let theirs: typeof import('@nestjs/common') | undefined;
  await jest.isolateModulesAsync(async () => {
    theirs = await import('@nestjs/common');
  });
  const { HttpException } = await import('@nestjs/common');
  const error = new theirs!.NotFoundException('no');
  expect(error).not.toBeInstanceOf(HttpException);
  expect(problemOf(error).code).toBe('NOT_FOUND');
});

it('expressions that cannot be evaluated now are no fault of ours', () => {
  const problem = problemOf(new EvaluatorUnavailable('expressions: closed'));
  expect(problem).toMatchObject({ code: 'OVERLOADED', headers: { 'retry-after': '1' } });
});
