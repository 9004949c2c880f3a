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

it('a process that does not run is no fault of ours', () => {
  const problem = problemOf(new EvaluatorUnavailable('expressions: closed'));
  const headers = { 'retry-after': '2' };
  expect(problem).toMatchObject({ code: 'PROCESS_UNAVAILABLE', headers, status: 503 });
  expect(problem.message).toContain('(expressions: closed)');
});

it('a read that the store did not answer is known to have changed nothing', () => {
  const away = new StoreUnavailable('away');
  expect(problemOf(away, true).message).toBe('The store did not answer; nothing was changed.');
  expect(problemOf(away).message).toContain('it is unknown whether anything was stored');
});
