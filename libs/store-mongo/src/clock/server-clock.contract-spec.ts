import { clockContract, ManualClock, SystemClock } from '#testing';
import { ServerClock } from './server-clock.js';

clockContract('server, on the machine', () => {
  const machine = new SystemClock();
  const offset = machine.now() - machine.monotonic() + 3_600_000;
  return { clock: new ServerClock(machine, { offset, error: 1 }) };
});

clockContract('server, by hand', () => {
  const machine = new ManualClock();
  const clock = new ServerClock(machine, { offset: -3_600_000.5, error: 1 });
  return { clock, advance: (ms) => machine.advance(ms) };
});
