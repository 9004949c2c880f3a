import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { InputFaults, invalidRequest, Problem, problemBody } from './problems.js';
import { PROBLEMS } from './problem-catalogue.js';

const DOCUMENT = new URL('../../../docs/errors.md', import.meta.url);

describe('the catalogue of errors', () => {
  it('is what docs/errors.md lists, word for word', () => {
    const rows = readFileSync(DOCUMENT, 'utf8').matchAll(
      /^\| `([A-Z_]+)` +\| (\d{3}) +\| (.+?) +\| (.+?) +\|$/gm,
    );
    const listed = [...rows].map(([, code, status, title, cure]) => [
      code,
      { status: Number(status), title, cure },
    ]);
    expect(Object.fromEntries(listed)).toEqual(PROBLEMS);
    expect(listed).toHaveLength(Object.keys(PROBLEMS).length);
  });

  it('writes an error as RFC 9457 does', () => {
    const problem = invalidRequest(
      { pointer: '/a', message: 'No.' },
      { pointer: '', message: 'x' },
    );
    expect(problemBody(problem, '/v1/tasks', 'id-1')).toEqual({
      type: '/docs/errors#INVALID_REQUEST',
      title: PROBLEMS.INVALID_REQUEST.title,
      status: 400,
      detail: 'No. (and 1 more)',
      instance: '/v1/tasks',
      code: 'INVALID_REQUEST',
      requestId: 'id-1',
      errors: [
        { pointer: '/a', message: 'No.' },
        { pointer: '', message: 'x' },
      ],
    });
  });

  it('leaves out what is not known', () => {
    const body = problemBody(new Problem('INTERNAL', 'Oh.'), '/');
    expect(Object.keys(body)).toEqual(['type', 'title', 'status', 'detail', 'instance', 'code']);
  });

  it('lists twenty mistakes, and says how many more there are', () => {
    const errors = Array.from({ length: 23 }, (_, i) => ({ pointer: `/${i}`, message: 'No.' }));
    const parameters = new Problem('INVALID_PARAMETERS', 'No.', { errors, moreErrors: 2 });
    expect(problemBody(parameters, '/')).toMatchObject({
      errors: errors.slice(0, 20),
      moreErrors: 5,
    });
    expect(problemBody(invalidRequest(...errors.slice(0, 20)), '/')).not.toHaveProperty(
      'moreErrors',
    );
  });

  it('puts no more mistakes into words than it lists', () => {
    const faults = new InputFaults();
    let described = 0;
    for (let count = 0; count < 300_000; count += 1) {
      faults.add(() => ({ pointer: `/${(described += 1)}`, message: 'No.' }));
    }
    expect(described).toBe(20);
    expect(() => faults.finish()).toThrow('No. (and 299999 more)');
  });
});
