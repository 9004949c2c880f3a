import { clockContract } from './contracts/clock.js';
import { ManualClock } from './manual-clock.js';

clockContract('manual', () => {
  const clock = new ManualClock();
  return { clock, advance: (ms) => clock.advance(ms) };
});
