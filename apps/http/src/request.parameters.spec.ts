import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import { RequestParameters } from './request.parameters.js';

const PAGE = readFileSync(new URL('../../../docs/http-requests.md', import.meta.url), 'utf8');

/** The rows of the page's table of parameters: name, default and meaning. */
const ROWS = [...(PAGE.split('## ')[1] ?? '').matchAll(/^\| `(\w+)` \| (.*?) \| (.*?) \|$/gm)].map(
  ([, name = '', standard = '', meaning = '']) => ({ name, standard, meaning }),
);

const GOOD = { method: 'GET', url: 'https://rooms.example/' };

function faultsOf(parameters: object): readonly string[] {
  const given = plainToInstance(RequestParameters, { ...GOOD, ...parameters });
  return validateSync(given).map(({ property }) => property);
}

/** The numbers in a meaning, in their order. */
function numbersIn(name: string): readonly number[] {
  const { meaning = '' } = ROWS.find((row) => row.name === name) ?? {};
  return [...meaning.matchAll(/\d[\d,]*/g)].map(([digits]) => Number(digits.replaceAll(',', '')));
}

describe('the parameters of a request, as docs/http-requests.md lists them', () => {
  it('are those of the class, and the required ones are those that it cannot do without', () => {
    const rules = getMetadataStorage().getTargetValidationMetadatas(
      RequestParameters,
      '',
      true,
      false,
    );
    const members = [...new Set(rules.map(({ propertyName }) => propertyName))];
    expect(ROWS.map(({ name }) => name).sort()).toEqual(members.sort());
    const missing = validateSync(new RequestParameters()).map(({ property }) => property);
    const required = ROWS.filter(({ standard }) => standard === 'required');
    expect(required.map(({ name }) => name)).toEqual(missing);
  });

  it('have these methods and no others', () => {
    const { meaning = '' } = ROWS.find(({ name }) => name === 'method') ?? {};
    const methods = [...meaning.matchAll(/`([A-Z]+)`/g)].map(([, method = '']) => method);
    expect(methods).toHaveLength(7);
    expect(methods.flatMap((method) => faultsOf({ method }))).toEqual([]);
    expect(faultsOf({ method: 'TRACE' })).toEqual(['method']);
  });

  it('have a URL of so many characters', () => {
    const [most = 0] = numbersIn('url');
    expect(faultsOf({ url: 'x'.repeat(most) })).toEqual([]);
    expect(faultsOf({ url: 'x'.repeat(most + 1) })).toEqual(['url']);
  });

  it('expect so many statuses, from the least to the largest', () => {
    const [least = 0, most = 0, from = 0, to = 0] = numbersIn('expect');
    const statuses = (count: number) => Array.from({ length: count }, () => from);
    expect(faultsOf({ expect: statuses(least) })).toEqual([]);
    expect(faultsOf({ expect: statuses(most) })).toEqual([]);
    expect(faultsOf({ expect: statuses(most + 1) })).toEqual(['expect']);
    expect(faultsOf({ expect: statuses(least - 1) })).toEqual(['expect']);
    expect(faultsOf({ expect: [from, to] })).toEqual([]);
    expect(faultsOf({ expect: [from - 1] })).toEqual(['expect']);
    expect(faultsOf({ expect: [to + 1] })).toEqual(['expect']);
  });

  it('may leave out, or set to null, all that have a default', () => {
    const optional = ROWS.filter(({ standard }) => standard !== 'required');
    const nothing = Object.fromEntries(optional.map(({ name }) => [name, null]));
    expect(faultsOf(nothing)).toEqual([]);
  });
});
