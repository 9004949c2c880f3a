import { beforeEach, describe, expect, it } from '@jest/globals';
import { ProgressLine } from './terminal.js';

let written: string[];
let now: number;
let line: ProgressLine;

beforeEach(() => {
  [written, now] = [[], 0];
  const output = { write: (text: string) => written.push(text) };
  line = new ProgressLine({ output, width: 10, clock: { monotonic: () => now } });
});

describe('a line of progress', () => {
  it('is drawn over, and is gone before other words come', () => {
    line.show('1 of 9');
    now = 100;
    line.show('2 of 9');
    line.clear();
    expect(written).toEqual(['\r\x1b[K1 of 9', '\r\x1b[K2 of 9', '\r\x1b[K']);
  });

  it('is drawn ten times a second at most, and at once after other words', () => {
    line.show('1 of 9');
    now = 99;
    line.show('2 of 9');
    line.clear();
    line.show('3 of 9');
    expect(written).toEqual(['\r\x1b[K1 of 9', '\r\x1b[K', '\r\x1b[K3 of 9']);
  });

  it('never wraps', () => {
    line.show('a very long text');
    expect(written).toEqual(['\r\x1b[Ka very l…']);
  });

  it('leaves a clear line alone', () => {
    line.clear();
    expect(written).toEqual([]);
  });
});
