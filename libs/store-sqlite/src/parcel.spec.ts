import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { packRequests, unpackRequests } from './parcel.js';
import type { CommitRequest, InsertRequest, Request } from './protocol.js';
import { anyCharacter } from '../../../test/fuzz/hostile-values.js';

const text = fc.string({ unit: anyCharacter, maxLength: 40 });
const optional: fc.Arbitrary<string | null> = fc.option(text);
const count = fc.nat();
const time = fc.option(fc.nat({ max: 2 ** 45 }));
const beside = fc.option(fc.array(fc.tuple(count, text), { maxLength: 2 }), { freq: 3 });
const labels = fc.option(fc.array(fc.tuple(text, text), { maxLength: 2 }), { freq: 3 });
const parent = fc.option(fc.tuple(text, text, count), { freq: 3 });

const commit: fc.Arbitrary<CommitRequest> = fc.tuple(
  fc.constant('commit'),
  fc.oneof(count, text),
  count,
  count,
  count,
  time,
  text,
  text,
  count,
  beside,
  optional,
  optional,
  optional,
);
const insert: fc.Arbitrary<InsertRequest> = fc.tuple(
  fc.constant('insert'),
  text,
  optional,
  text,
  optional,
  text,
  text,
  text,
  count,
  labels,
  count,
  count,
  time,
  text,
  text,
  beside,
  parent,
  optional,
  optional,
  optional,
  optional,
  optional,
  optional,
);
const other: fc.Arbitrary<Request> = fc.oneof(
  fc.constant(['ping'] as const),
  fc.tuple(fc.constant('get'), text),
);

describe('a parcel', () => {
  it('has the requests that were packed, in their order', () => {
    const batches = fc.array(fc.oneof(commit, insert, other), { maxLength: 20 });
    fc.assert(
      fc.property(batches, (requests) => {
        const travelled = structuredClone(packRequests(requests));
        expect(unpackRequests(travelled)).toEqual(requests);
      }),
    );
  });

  it('takes apart what nearly all of the traffic consists of', () => {
    const texts = ['[[2]]', '[1,2,"x"],'] as const;
    const plain: CommitRequest = ['commit', 7, 1, 2, 1, null, ...texts, 1, null, null, null, null];
    const { numbers, others, text } = packRequests([plain, ['ping']]);
    expect(others).toEqual([['ping']]);
    expect(text).toBe('[[2]][1,2,"x"],');
    expect(numbers).toHaveLength(13);
  });
});
