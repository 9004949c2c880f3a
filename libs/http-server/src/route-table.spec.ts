import { describe, expect, it } from '@jest/globals';
import { RouteTable } from './route-table.js';

describe('a table of routes', () => {
  const table = new RouteTable();
  table.add({ method: 'GET', url: '/v1/tasks/:taskId([^:]+)' });
  table.add({ method: 'HEAD', url: '/v1/tasks/:taskId([^:]+)' });
  table.add({ method: 'POST', url: '/v1/tasks/:taskId([^:]+)::rollback' });
  table.add({ method: 'POST', url: '/v1/tasks::batch' });
  table.add({ method: 'GET', url: '/a.b' });

  it.each([
    ['/v1/tasks:rollback', ['POST /v1/tasks/{taskId}:rollback']],
    ['/v1/tasks/1/rollback', ['POST /v1/tasks/{taskId}:rollback']],
    ['/v1/tasks/1/steps/a%3Arollback', ['POST /v1/tasks/{taskId}:rollback']],
    ['/v1/tasks/1:roll', []],
    ['/v1/nothing', []],
  ])('knows where the last word of %s belongs', (path, routes) => {
    expect(table.namesakesOf(path)).toEqual(routes);
  });

  it('lists them as OpenAPI writes them', () => {
    expect(table.list()).toEqual([
      'GET /v1/tasks/{taskId}',
      'HEAD /v1/tasks/{taskId}',
      'POST /v1/tasks/{taskId}:rollback',
      'POST /v1/tasks:batch',
      'GET /a.b',
    ]);
  });

  it.each([
    ['/v1/tasks/1', ['GET', 'HEAD']],
    ['/v1/tasks/1:rollback', ['POST']],
    ['/v1/tasks/1%3Arollback', ['POST']],
    ['/v1/tasks:batch', ['POST']],
    ['/v1/tasks/', []],
    ['/v1/tasks/1/2', []],
    ['/v1/tasks/1%2f2', ['GET', 'HEAD']],
    ['/v1%2Ftasks/1', []],
    ['/axb', []],
    ['/%', []],
  ])('knows the methods of %s', (path, methods) => {
    expect(table.methodsOf(path)).toEqual(methods);
  });
});
