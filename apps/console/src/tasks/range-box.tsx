import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { WORDS } from '../words.js';
import type { BoxProps } from './filters.js';
import { valueIn, withMember } from './search.js';
import { BETWEEN, instantOf, localTime, ownTimeWords, rangeIn, withRange } from './time-range.js';

const { range: TEXT } = WORDS;
const MOMENTS = [
  ['createdAfter', TEXT.from],
  ['createdBefore', TEXT.to],
] as const;

/** Chooses when the tasks of a list were created. */
export function RangeBox({ onChange, text }: BoxProps): JSX.Element {
  const id = useId();
  const written = rangeIn(text);
  // Two moments have no word in the search before one of them is given.
  const [isBetween, setBetween] = useState(written === BETWEEN);
  useEffect(() => setBetween(written === BETWEEN), [written === BETWEEN]);
  const value = isBetween ? BETWEEN : written;
  const choose = (range: string): void => {
    setBetween(range === BETWEEN);
    onChange(withRange(text, range));
  };
  return (
    <>
      <div class="field">
        <label for={id}>{TEXT.title}</label>
        <select id={id} value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          {!(value in TEXT.presets) && <option value={value}>{value}</option>}
          {Object.entries(TEXT.presets).map(([range, words]) => (
            <option key={range} value={range}>
              {words}
            </option>
          ))}
        </select>
      </div>
      {isBetween &&
        MOMENTS.map(([member, words]) => (
          <div key={member} class="field">
            <label for={`${id}-${member}`}>{ownTimeWords(words)}</label>
            <input
              id={`${id}-${member}`}
              type="datetime-local"
              value={localTime(valueIn(text, member))}
              onChange={({ currentTarget }) =>
                onChange(withMember(text, member, instantOf(currentTarget.value)))
              }
            />
          </div>
        ))}
    </>
  );
}
