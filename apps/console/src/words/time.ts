/** Words of moments and of how long something takes. */
export const TIME = {
  units: { day: 'd', hour: 'h', minute: 'min', second: 's' },
  underSecond: 'under 1 s',
  underTwo: 'under 2 s',
  milliseconds: (count: number) => `${count} ms`,
  seconds: (count: number) => `${count}s`,
  zone: (zone: string) => `Times are ${zone}.`,
  zoned: (text: string, zone: string) => `${text}, ${zone}`,
  justNow: 'just now',
  ago: (length: string) => `${length} ago`,
  ahead: (length: string) => `in ${length}`,
} as const;
