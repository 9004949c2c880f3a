/** The stored columns of a row of statistics; the record is JSON, and has all of it. */
export type StatisticsCells = readonly [
  flow: string,
  span: string,
  start: number,
  owner: string,
  record: string,
];
