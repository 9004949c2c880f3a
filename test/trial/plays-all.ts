/**
 * Whether a run plays every case there is, however long that takes: `BACKSTEP_TEST_ALL=1`. The gate
 * plays the share of them that fits in minutes.
 */
export function playsAll(): boolean {
  return process.env['BACKSTEP_TEST_ALL'] === '1';
}
