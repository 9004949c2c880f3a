import { describe, expect, it } from '@jest/globals';
import { findDeepNesting } from './json-depth.js';
import { JSON_DEPTH_MAX } from './json-fault.js';

function nested(levels: number, open: string): Buffer {
  return Buffer.from(open.repeat(levels));
}

describe('nesting of a text that was not parsed', () => {
  it('is taken up to 64 levels', () => {
    expect(findDeepNesting(nested(JSON_DEPTH_MAX, '['))).toBeNull();
    expect(findDeepNesting(Buffer.from('[[],[]],'.repeat(100)))).toBeNull();
  });

  it('is refused at the first place beyond', () => {
    const list = findDeepNesting(nested(JSON_DEPTH_MAX + 1, '['));
    expect(list?.pointer).toBe('/0'.repeat(JSON_DEPTH_MAX));
    const object = findDeepNesting(Buffer.from(`{"b":[0,"]",${'{"a/\\u0041":'.repeat(70)}`));
    expect(object?.pointer).toBe(`/b/2${'/a~1A'.repeat(JSON_DEPTH_MAX - 2)}`);
  });

  it('is not what stands in a text', () => {
    expect(findDeepNesting(Buffer.from(`["\\"${'['.repeat(100)}\\\\",1]`))).toBeNull();
    expect(findDeepNesting(Buffer.from(`["${'['.repeat(100)}`))).toBeNull();
  });
});
