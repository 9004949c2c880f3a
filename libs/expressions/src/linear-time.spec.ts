import { describe, it } from '@jest/globals';
import { expectLinear } from '../../../test/linear/linear-time.js';
import { EXPRESSION_LENGTH_MAX, parseExpression } from './parse-expression.js';

describe('an expression is read in linear time', () => {
  const marked = (code: string) => `{%${code}%}`;

  it.each<[string, (size: number) => string]>([
    ['a list of names', (n) => `[${'a,'.repeat(n / 2)}a]`],
    ['a long path', (n) => `a${'.a'.repeat(n / 2)}`],
    ['many filters', (n) => `a${'[0]'.repeat(n / 3)}`],
    ['a long text', (n) => `"${'\\u0041'.repeat(n / 6)}"`],
    ['a long name', (n) => `\`${'a'.repeat(n)}\``],
    ['an unknown variable of great length', (n) => `$${'a'.repeat(n)}`],
    ['many variables', (n) => `(${'$a:=$a;'.repeat(n / 7)})`],
    ['many parents', (n) => `a.[${'%.b,'.repeat(n / 4)}1]`],
    ['open brackets', (n) => '('.repeat(n)],
    ['many comments', (n) => `${'/**/'.repeat(n / 4)}1`],
    ['a pattern of slashes', (n) => `/${'\\\\'.repeat(n / 2)}/`],
    ['a signature', (n) => `function($a)<${'n'.repeat(n)}:n>{1}`],
    ['a signature of choices', (n) => `function($a)<${'(ns)'.repeat(n / 4)}:n>{1}`],
  ])('%s', (_name, make) => {
    expectLinear({
      size: EXPRESSION_LENGTH_MAX - 64,
      make: (size) => marked(make(size)),
      read: parseExpression,
    });
  });
});
