import { describe, expect, it } from '@jest/globals';
import type { Drawing } from './graph-layout.js';
import { viewOf } from './view.js';

const ROOM = { width: 1_000, height: 200 };

function drawn(width: number, height: number): Drawing {
  return { boxes: [], arrows: [], width, height };
}

describe('the place of a drawing at first', () => {
  it('is the middle of its room, and it is not enlarged', () => {
    const view = viewOf({ drawing: drawn(400, 80), wanted: [] }, ROOM);
    expect(view).toEqual({ x: 300, y: 60, zoom: 1 });
  });

  it('leaves room beside a drawing that has to be made smaller', () => {
    const { x, y, zoom } = viewOf({ drawing: drawn(400, 180), wanted: [] }, ROOM);
    expect(zoom).toBeLessThan(1);
    expect(y).toBeCloseTo(24);
    expect(x * 2 + 400 * zoom).toBeCloseTo(1_000);
  });
});
