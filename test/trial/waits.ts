/** Whatever is lost in a trial is looked for soon; more often would keep two cores busy. */
const SEARCH = { governanceInterval: '500ms', redispatchAfter: '1s' } as const;

/** Settings for how long processes under test wait, by what a trial does to holders of leases. */
export const WAITS = {
  /** They die or stand still: the sooner they are followed, the more fits in a minute. */
  followSoon: { ...SEARCH, lease: '1s' },
  /** They die among many processes on few cores, where the living are late with their renewals. */
  followSoonAmongMany: { ...SEARCH, lease: '4s' },
  /** Their servers fail for up to three seconds, and they are to outlast it. */
  outlastFaults: { ...SEARCH, lease: '5s' },
  /** A server is away, for longer than any other fault: as in production, no task is to notice. */
  outlastOutages: { ...SEARCH, lease: '10s' },
  /** Their clocks are an hour wrong: short beside that, and long for what a busy machine does. */
  outlastBusyMachine: { ...SEARCH, lease: '20s' },
} as const;
