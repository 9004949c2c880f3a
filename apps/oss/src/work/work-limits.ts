import { WORK_LEASE_MS } from '#core';

/** Bounds of the protocol. Times in milliseconds. */
export const WORK_LIMITS = {
  /** Items of a poll, and claims of a heartbeat. */
  claims: 100,
  modules: 16,
  commands: 200,
  wait: { default: 20_000, max: 30_000 },
  lease: WORK_LEASE_MS,
  /** How often claims of the default lease are renewed. */
  heartbeat: 10_000,
  /** The longest wait that a worker may ask for: a year. */
  after: 31_536_000_000,
  /** Bytes of the lines that are kept of an attempt. */
  log: 65_536,
  /** Bytes of the message of a failure. */
  message: 8_192,
} as const;
