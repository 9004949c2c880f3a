import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { STATUSES } from '../ui/states.js';
import { stateWord, WORDS } from '../words.js';
import { SearchBox } from './search-box.js';
import { labelIn, valueIn, withMember } from './search.js';
import type { Item } from './task-list.js';
import { BETWEEN, instantOf, localTime, ownTimeWords, rangeIn, withRange } from './time-range.js';

/** A box that writes into a search. */
interface BoxProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

interface FiltersProps extends BoxProps {
  /** The tasks that the list shows, whose labels can be suggested. */
  readonly items: readonly Item[];
}

const { range: TEXT } = WORDS;

const MOMENTS = [
  ['createdAfter', TEXT.from],
  ['createdBefore', TEXT.to],
] as const;

/** The filters of the list; the search box has the same in words. */
export function Filters({ items, onChange, text }: FiltersProps): JSX.Element {
  const set = (name: string, value: string): void => onChange(withMember(text, name, value));
  const statuses = STATUSES.map((status) => [status, stateWord(status)] as const);
  const known = useFlowNames();
  const labels = useLabelsSeen(items);
  const flow = valueIn(text, 'flow');
  const flows = known.includes(flow) || flow === '' ? known : [flow, ...known];
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <SearchBox text={text} known={{ flows: known, labels }} onChange={onChange} />
      <Choice
        name={WORDS.tasks.status}
        none={WORDS.tasks.anyStatus}
        value={valueIn(text, 'status')}
        choices={statuses}
        onChange={(value) => set('status', value)}
      />
      <Choice
        name={WORDS.tasks.flow}
        none={WORDS.tasks.anyFlow}
        value={flow}
        choices={flows.map((name) => [name, name] as const)}
        onChange={(value) => set('flow', value)}
      />
      <LabelBox text={text} onChange={onChange} />
      <RangeBox text={text} onChange={onChange} />
      <label class="choice">
        <input
          type="checkbox"
          checked={valueIn(text, 'parent') === 'none'}
          onChange={({ currentTarget }) => set('parent', currentTarget.checked ? 'none' : '')}
        />
        {WORDS.withoutChildren}
      </label>
      {text !== '' && (
        <button type="button" class="quiet" onClick={() => onChange('')}>
          {WORDS.tasks.clear}
        </button>
      )}
    </form>
  );
}

function LabelBox({ text, onChange }: BoxProps): JSX.Element {
  const id = useId();
  const [name, value] = labelIn(text) ?? [];
  const present = name === undefined ? '' : `${name}=${value}`;
  const change = (typed: string): void => {
    const [key = '', ...rest] = typed.split('=');
    const cleared = name === undefined ? text : withMember(text, `label.${name}`, '');
    onChange(
      key === '' ? cleared : withMember(cleared, `label.${key.trim()}`, rest.join('=').trim()),
    );
  };
  return (
    <div class="field">
      <label for={id}>{WORDS.tasks.label}</label>
      <input
        id={id}
        value={present}
        placeholder={WORDS.tasks.labelHint}
        autocomplete="off"
        spellcheck={false}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      />
    </div>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly none: string;
  readonly value: string;
  readonly choices: readonly (readonly [string, string])[];
  readonly onChange: (value: string) => void;
}

function Choice({ choices, name, none, onChange, value }: ChoiceProps): JSX.Element {
  const id = useId();
  const isKnown = value === '' || choices.some(([one]) => one === value);
  return (
    <div class="field">
      <label for={id}>{name}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">{none}</option>
        {!isKnown && <option value={value}>{value.split(',').map(stateWord).join(', ')}</option>}
        {choices.map(([one, word]) => (
          <option key={one} value={one}>
            {word}
          </option>
        ))}
      </select>
    </div>
  );
}

function useFlowNames(): readonly string[] {
  const [names, set] = useState<readonly string[]>([]);
  useEffect(() => {
    const controller = new AbortController();
    api.flows(controller.signal).then(
      ({ items }) => set(items.map(({ name }) => name)),
      () => {},
    );
    return () => controller.abort();
  }, []);
  return names;
}

/** Values of one label that are kept, and labels. */
const LABELS_KEPT = 100;

/** The labels of all tasks that the list has shown, also under other searches. */
function useLabelsSeen(items: readonly Item[]): ReadonlyMap<string, ReadonlySet<string>> {
  const { current: seen } = useRef(new Map<string, Set<string>>());
  for (const item of items) {
    for (const [name, value] of 'labels' in item ? Object.entries(item.labels) : []) {
      const values = seen.get(name) ?? new Set();
      if (values.size < LABELS_KEPT) values.add(value);
      if (seen.size < LABELS_KEPT) seen.set(name, values);
    }
  }
  return seen;
}

/** Chooses when the tasks of a list were created. */
function RangeBox({ onChange, text }: BoxProps): JSX.Element {
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
