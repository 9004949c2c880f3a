import { describe, expect, it } from '@jest/globals';
import { isSealed, mapTexts, maskSealed, maskValues, sealedIn, sealOwner } from './sealed-value.js';

const SEALED = 'bks-sealed:v1.0a1b2c3d.AbC_-9';

describe('a sealed value', () => {
  it('is told from every other text', () => {
    expect(isSealed(SEALED)).toBe(true);
    for (const other of [
      'bks-sealed:',
      `x${SEALED}`,
      `${SEALED} `,
      'bks-sealed:v1.zz.A',
      1,
      null,
    ]) {
      expect(isSealed(other)).toBe(false);
    }
  });

  it('is masked wherever it stands in a text, and everything else stays', () => {
    const json = JSON.stringify({ a: SEALED, b: [`x ${SEALED}, ${SEALED}`], c: 'bks-sealed:' });
    expect(JSON.parse(maskSealed(json))).toEqual({ a: '***', b: ['x ***, ***'], c: 'bks-sealed:' });
    expect(sealedIn(json)).toEqual([SEALED, SEALED, SEALED]);
    const plain = { a: [1, { b: 'x' }] };
    expect(maskValues(plain)).toBe(plain);
  });

  it('is found under every name, and no name reaches a prototype', () => {
    const value = JSON.parse(`{"__proto__": {"a": "${SEALED}"}}`) as { readonly a: string };
    expect(JSON.stringify(maskValues(value))).toBe('{"__proto__":{"a":"***"}}');
    expect(mapTexts(value, (text) => text)).toBe(value);
  });

  it('belongs to the outermost task around', () => {
    const of = { run: 'r#1', index: 0, isPart: false };
    expect(sealOwner({ taskId: 'a', parent: null })).toBe('a');
    expect(sealOwner({ taskId: 'b', parent: { ...of, taskId: 'a', depth: 1 } })).toBe('a');
    const deep = { ...of, taskId: 'b', depth: 2, root: 'a' };
    expect(sealOwner({ taskId: 'c', parent: deep })).toBe('a');
    // One of a build that did not tell.
    expect(sealOwner({ taskId: 'c', parent: { ...of, taskId: 'b', depth: 2 } })).toBe('c');
  });
});
