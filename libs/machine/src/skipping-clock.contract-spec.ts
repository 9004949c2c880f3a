import { clockContract } from '#testing';
import { SkippingClock } from './skipping-clock.js';
import { SystemClock } from './system-clock.js';

clockContract('skipping', () => ({ clock: new SkippingClock(new SystemClock()) }));
