import { afterEach, describe, expect, it } from '@jest/globals';
import { KIND_NAMES } from '#core';
import { HOLDER_PLAYS } from './kind-holder-plays-spec.js';
import { endsAtOnceAfterPause, LEAF_PLAYS, type Plays } from './kind-leaf-plays-spec.js';
import { KindPlay } from './kind-play-spec.js';
import { KIND_COLUMNS, KIND_TABLE, type KindColumn } from './kind-table.js';

const PLAYS: Readonly<Partial<Record<string, Plays>>> = { ...LEAF_PLAYS, ...HOLDER_PLAYS };
const COLUMNS = Object.keys(KIND_COLUMNS) as KindColumn[];

const played: KindPlay[] = [];

afterEach(async () => {
  for (const play of played.splice(0)) await play.stop();
});

function newPlay(): KindPlay {
  const play = new KindPlay();
  played.push(play);
  return play;
}

it('the table of kinds has a row for each kind, and nothing else', () => {
  expect(Object.keys(KIND_TABLE).toSorted()).toEqual([...KIND_NAMES].toSorted());
  const columns = Object.values(KIND_TABLE).map((row) => Object.keys(row));
  expect(columns).toEqual(KIND_NAMES.map(() => COLUMNS));
});

it('a wait whose time is over within a pause ends at once after it, and not before', async () => {
  await endsAtOnceAfterPause(newPlay());
});

describe.each(KIND_NAMES)('a step with %s', (kind) => {
  it.each(COLUMNS)('does what the table of kinds says: %s', async (column) => {
    const { says, ...ended } = KIND_TABLE[kind][column];
    expect(says).toMatch(/^[A-Z].*[.]$/);
    const play = newPlay();
    await PLAYS[kind]![column](play, newPlay());
    expect(await play.ended()).toEqual(ended);
  });
});
