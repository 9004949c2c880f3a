import { describe, expect, it } from '@jest/globals';
import type { LogLine } from '../api/output-shapes.js';
import type { Step } from '../api/shapes.js';
import { blocksOf, runningOf, SILENT, withNews } from './output-lines.js';

function line(number: number, more: Partial<LogLine> = {}): LogLine {
  const place = { step: 's', run: 's', direction: 'normal', attempt: 1 } as const;
  return { ...place, line: number, at: '', message: `${number}`, ...more };
}

describe('the output of a step on its page', () => {
  it('has each line once, also when all come again after a lost connection', () => {
    const once = withNews(SILENT, [line(1), line(2), line(1, { attempt: 2 })]);
    const again = withNews(once, [line(1), line(2), line(3), line(1, { attempt: 2 })]);
    expect(again.lines.map((each) => [each.attempt, each.line])).toEqual([
      [1, 1],
      [1, 2],
      [2, 1],
      [1, 3],
    ]);
  });

  it('has the progress that was said last', () => {
    const said = { run: 's', direction: 'normal', attempt: 1, at: '' } as const;
    const output = withNews(SILENT, [
      { ...said, percent: 1 },
      { ...said, percent: 2, message: 'm' },
    ]);
    expect([...output.progress.values()]).toEqual([{ ...said, percent: 2, message: 'm' }]);
    expect(output.lines).toEqual([]);
  });

  it('keeps the newest lines', () => {
    const all = Array.from({ length: 3_010 }, (_, n) => line(n + 1));
    expect(
      withNews(SILENT, all)
        .lines.map((each) => each.line)
        .at(0),
    ).toBe(11);
  });

  it('keeps the lines of a run that another one writes more than', () => {
    const loud = Array.from({ length: 3_010 }, (_, n) => line(n + 1, { run: 'loud' }));
    const { lines } = withNews(withNews(SILENT, [line(1)]), loud);
    expect(lines.filter(({ run }) => run === 's')).toEqual([line(1)]);
    expect(lines).toHaveLength(3_001);
  });

  it('is the same object where nothing differs', () => {
    const said = { run: 's', direction: 'normal', attempt: 1, at: '', percent: 1 } as const;
    const before = withNews(SILENT, [line(1), said]);
    expect(withNews(before, [line(2)]).progress).toBe(before.progress);
    expect(withNews(before, [{ ...said, percent: 2 }]).lines).toBe(before.lines);
  });

  it('tells how far attempts are that run now, and of no other', () => {
    const said = { direction: 'normal', attempt: 1, at: '', percent: 1 } as const;
    const output = withNews(SILENT, [
      { ...said, run: 'ended' },
      { ...said, run: 'runs', attempt: 2 },
      { ...said, run: 'runs' },
    ]);
    const steps = [
      { id: 'ended', state: 'succeeded', attempts: 1, rollback: null },
      { id: 'runs', state: 'running', attempts: 2, rollback: null },
    ] as unknown as readonly Step[];
    expect(runningOf({ steps }, output)).toEqual([{ ...said, run: 'runs', attempt: 2 }]);
  });

  it('stands by attempts', () => {
    const back = { direction: 'rollback' } as const;
    const blocks = blocksOf([line(1), line(2), line(1, back), line(1, { ...back, attempt: 2 })]);
    expect(
      blocks.map(({ attempt, direction, lines }) => [direction, attempt, lines.length]),
    ).toEqual([
      ['normal', 1, 2],
      ['rollback', 1, 1],
      ['rollback', 2, 1],
    ]);
  });
});
