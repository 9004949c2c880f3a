import { clockContract } from '#testing';
import { SystemClock } from './system-clock.js';

clockContract('system', () => ({ clock: new SystemClock() }));
