import { describe, expect, it } from '@jest/globals';
import type { Drawing } from './graph-layout.js';
import { viewOf, wholeOf, zoomed } from './view.js';

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

describe('a drawing that is brought nearer', () => {
  const view = { x: 10, y: 20, zoom: 1 };

  it('keeps the point under the pointer where it is', () => {
    const next = zoomed(view, 1.2, { x: 110, y: 70 });
    expect(next.zoom).toBe(1.2);
    expect([(110 - next.x) / 1.2, (70 - next.y) / 1.2]).toEqual([100, 50]);
  });

  it('stays readable, unless the whole of it was asked for', () => {
    expect(zoomed(view, 9, view).zoom).toBe(1.5);
    expect(zoomed(view, 0.1, view).zoom).toBe(0.8);
    const whole = wholeOf(drawn(20_000, 80), ROOM);
    expect(zoomed(whole, 0.9, view).zoom).toBe(whole.zoom);
    expect(zoomed(whole, 2, view).zoom).toBeGreaterThan(whole.zoom);
  });
});
