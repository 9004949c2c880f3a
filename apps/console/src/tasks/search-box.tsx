import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { OptionList, type Options, useOptions } from '../ui/options.js';
import { WORDS } from '../words.js';
import { complete, type Completion, completionsOf, type Vocabulary } from './completion.js';

interface SearchBoxProps {
  readonly text: string;
  readonly known: Vocabulary;
  readonly onChange: (text: string) => void;
}

const TYPING_MS = 300;
/** Ends in a key without a value, which the server would refuse; Enter asks it all the same. */
const UNFINISHED = /(?:^|\s)[A-Za-z][^\s:"]*:$/;

/**
 * The box for searches. It stays a search box for assistive technology; what it suggests is told
 * beside it, and nothing is taken that was not moved to: Enter searches. A browser would empty the
 * box by Escape, and with it a search that was asked for: here only what was typed since goes.
 */
export function SearchBox({ known, onChange, text }: SearchBoxProps): JSX.Element {
  const [typed, type] = useState(text);
  useEffect(() => type(text), [text]);
  useEffect(() => {
    if (typed === text || UNFINISHED.test(typed)) return undefined;
    const timer = setTimeout(() => onChange(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const id = useId();
  const box = useRef<HTMLInputElement>(null);
  const { completions, hide, options, show, take } = useCompletions({ box, known, typed, type });
  const isOpen = completions.length > 0;
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      if (!isOpen) type(text);
      hide();
    } else if (event.key === 'ArrowDown' && !isOpen) show();
    else if (options.onKey(event) || event.key !== 'Enter') return;
    else if (options.active >= 0) take(options.active);
    else {
      hide();
      onChange(typed);
    }
  };
  return (
    <div class="field field-search">
      <label for={id}>{WORDS.tasks.search}</label>
      <input
        id={id}
        ref={box}
        type="search"
        value={typed}
        placeholder={WORDS.tasks.hint}
        autocomplete="off"
        spellcheck={false}
        aria-autocomplete="list"
        {...(isOpen && { 'aria-controls': options.listId })}
        {...(isOpen && options.activeId && { 'aria-activedescendant': options.activeId })}
        onInput={({ currentTarget }) => {
          type(currentTarget.value);
          show();
        }}
        onKeyDown={onKey}
        onBlur={hide}
      />
      <Suggestions {...{ completions, options, take }} />
    </div>
  );
}

interface SuggestionsProps {
  readonly completions: readonly Completion[];
  readonly options: Options;
  readonly take: (at: number) => void;
}

function Suggestions({ completions, options, take }: SuggestionsProps): JSX.Element {
  const { count, one, title } = WORDS.suggestions;
  const { length } = completions;
  const shown = completions.map(({ note, written }) => ({ id: written, words: written, note }));
  return (
    <>
      {length > 0 && <OptionList label={title} options={shown} state={options} onPick={take} />}
      <span role="status" class="unseen">
        {length > 0 && `${length} ${length === 1 ? one : count}`}
      </span>
    </>
  );
}

interface CompletionsProps {
  readonly box: { readonly current: HTMLInputElement | null };
  readonly known: Vocabulary;
  readonly typed: string;
  readonly type: (text: string) => void;
}

/** The completions at the cursor while they are shown: from a key on until they are hidden. */
function useCompletions({ box, known, type, typed }: CompletionsProps) {
  /** Null: nothing is shown. */
  const [cursor, setCursor] = useState<number | null>(null);
  const show = (): void => setCursor(box.current?.selectionStart ?? null);
  const completions = cursor === null ? [] : completionsOf(typed, cursor, known);
  const options = useOptions(completions.length, typed, -1);
  const take = (at: number): void => {
    const completion = completions[at];
    if (completion === undefined || cursor === null) return;
    const next = complete(typed, cursor, completion);
    type(next.text);
    setCursor(completion.isOpen ? next.cursor : null);
    const { current } = box;
    if (current === null) return;
    current.value = next.text;
    current.setSelectionRange(next.cursor, next.cursor);
    current.focus();
  };
  return { completions, options, show, hide: () => setCursor(null), take };
}
