import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { EventReader } from './backstep-client.js';

const STREAM =
  ': hello\n\nid: 1\nevent: started\ndata: {"a":1}\n\nid: 2\r\ndata: x\r\ndata:y\r\n\r\n';
const EXPECTED = [
  { id: '1', event: 'started', data: '{"a":1}' },
  { id: '2', event: 'message', data: 'x\ny' },
];

describe('EventReader', () => {
  it('reads events wherever the text is cut', () => {
    const cuts = fc.array(fc.nat(STREAM.length), { maxLength: 8 });
    fc.assert(
      fc.property(cuts, (places) => {
        const edges = [0, ...places.toSorted((a, b) => a - b), STREAM.length];
        const reader = new EventReader();
        const pieces = edges.slice(1).map((end, index) => STREAM.slice(edges[index], end));
        expect(pieces.flatMap((piece) => reader.read(piece))).toEqual(EXPECTED);
      }),
    );
  });

  it('keeps the id of the last event, as the standard asks', () => {
    const reader = new EventReader();
    expect(reader.read('id: 7\ndata: a\n\ndata: b\n\n').map(({ id }) => id)).toEqual(['7', '7']);
  });
});
