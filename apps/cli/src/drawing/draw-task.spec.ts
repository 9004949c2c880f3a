import { describe, expect, it } from '@jest/globals';
import pc from 'picocolors';
import { textWidth } from '../terminal/table.js';
import { drawTask, outcomeLine } from './draw-task.js';
import { fan, looped, nested, NOW, rolledBack } from './sample-tasks-spec.js';

const plain = pc.createColors(false);
const draw = (view: typeof fan, width: number, now?: number): string =>
  drawTask(view, { paint: plain, width, now }).join('\n');

describe('the drawing of a task', () => {
  it('has a line per step, and beneath each its way back', () => {
    expect(draw(rolledBack, 120)).toBe(`\
create-db-instance  ↩ rolled back  task-1

  ✓ succeeded  check_resource   resource.check_resource         8 ms
    ↩ undone                    monitor.report_event           10 ms
  ✓ succeeded  init_instance    mysql.init_instance            1.3 s
    ↩ undone                    mysql.clean_instance           50 ms
  ✗ failed     deduct_resource  resource.deduct_resource   ×3  40 ms  no host has room for 4 cores, 8 GiB memory and 50…
    ↩ undone                    resource.restore_resource      60 ms`);
  });

  it('brackets steps that run side by side, and says what a step waits for', () => {
    expect(draw(fan, 80, NOW)).toBe(`\
fan  ↩ rolling back  task-1

  ✓ succeeded  first  lab.first  10 ms
    ↩ to undo         lab.undo
┌ ✓ succeeded  a      lab.a      20 ms
│   ↩ undoing         lab.undo   2.0 s
├ ✗ failed     b      lab.b      30 ms  broken ?[2J
│   ↩ undone          lab.undo   10 ms
└ ✗ timed out  c      lab.c      35 ms
  · pending    join   lab.join
  · pending    late   lab.late          after a, join`);
  });

  it('has the steps of a group beneath it, further in, with the try and its way back', () => {
    expect(draw(nested, 80, NOW)).toBe(`\
nested  ▸ running  task-1

  ✓ succeeded       first  lab.first         10 ms
  ▸ running         g      group, try 2  ×2  2.0 s
    ↩ undoing              try 2
   ┌ ✓ succeeded    a      lab.a             10 ms
   │   ↩ to undo           lab.undo
   └ ✗ failed       i      group, try 1      20 ms
       ↩ undone            try 1
        ✗ failed    b      lab.b             10 ms
          ↩ undone         lab.undo          10 ms
  · pending         last   lab.last`);
  });

  it('says of several lists of one step which is which', () => {
    expect(draw(looped, 80, NOW)).toBe(`\
looped  ▸ running  task-1

  ▸ running         poll  loop, round 2  2.1 s
     ◦ round 1
       ✓ succeeded  look  lab.look       10 ms
     ◦ round 2
       · pending    look  lab.look
  · pending         last  lab.last`);
  });

  it('shows no time of what is running where nobody knows the time', () => {
    expect(draw(fan, 80)).toContain('│   ↩ undoing         lab.undo\n');
  });

  it.each([20, 40, 60, 80, 200])('never has a line wider than %d columns', (width) => {
    for (const view of [fan, looped, nested, rolledBack]) {
      const lines = drawTask(view, { paint: plain, width, now: NOW });
      expect(lines.filter((line) => textWidth(line) > width)).toEqual([]);
    }
  });

  it('is the same with colours, once they are taken away', () => {
    const paint = pc.createColors(true);
    for (const width of [20, 50, 80, 200]) {
      const lines = drawTask(fan, { paint, width, now: NOW });
      // oxlint-disable-next-line no-control-regex
      const bare = lines.map((line) => line.replaceAll(/\u001b\[\d+m/g, '')).join('\n');
      expect(bare).toBe(draw(fan, width, NOW));
    }
  });

  it('ends with the outcome, how long it took, and why', () => {
    const pens = { paint: plain, width: 80 };
    expect(outcomeLine({ ...rolledBack, message: 'no room' }, pens)).toBe(
      '↩ rolled back in 1.5 s: no room',
    );
    const succeeded = { ...rolledBack, status: 'succeeded', message: null };
    expect(outcomeLine(succeeded, pens)).toBe('✓ succeeded in 1.5 s');
    expect(outcomeLine({ ...succeeded, status: 'new_state' }, pens)).toBe('? new state in 1.5 s');
  });
});
