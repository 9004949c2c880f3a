import { describe, expect, it } from '@jest/globals';
import { labelIn, readSearch, valueIn, withMember } from './search.js';

describe('a search text', () => {
  it('is asked of the server as it stands, dates and parents aside', () => {
    const text = 'flow:order-* status:failed text:"no host" createdAfter:2026-01-31 parent:a';
    expect(readSearch(text)).toEqual({
      members: [
        ['q', 'flow:order-* status:failed text:"no host"'],
        ['createdAfter', '2026-01-31'],
        ['parent', 'a'],
      ],
      taskId: null,
    });
    expect(readSearch(' ').members).toEqual([]);
  });

  it('keeps a quotation mark that is not closed, so that the server says so', () => {
    expect(readSearch('flow:a text:"no host').members).toEqual([['q', 'flow:a text:"no host']]);
  });

  it('is the id of a task, and then nothing else', () => {
    const id = '01A204E9-a274-7392-aa80-5731a39ef917';
    expect(readSearch(` ${id} `)).toMatchObject({ members: [], taskId: id.toLowerCase() });
    expect(readSearch(`${id} flow:a`).taskId).toBeNull();
  });

  it('is written again with a member changed, added or taken away', () => {
    expect(withMember('status:running flow:a', 'flow', 'b')).toBe('status:running flow:b');
    expect(withMember('', 'label.team', 'a b')).toBe('label.team:"a b"');
    expect(withMember('flow:a age:>1h', 'flow', '')).toBe('age:>1h');
    expect(valueIn(withMember('', 'label.team', 'a "b"'), 'label.team')).toBe('a "b"');
  });

  it('has a first label, or none', () => {
    expect(labelIn('flow:a label.team:"a b" label.env:prod')).toEqual(['team', 'a b']);
    expect(labelIn('flow:a')).toBeNull();
  });
});
