import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useId, useRef, useState } from 'preact/hooks';
import { copyText } from '../browser/clipboard.js';
import { DialogEnd } from '../ui/dialog-parts.js';
import { Icon } from '../ui/icons.js';
import { Modal } from '../ui/modal.js';
import { WORDS } from '../words.js';
import {
  keepViews,
  NAME_MAX,
  savedViews,
  searchAddress,
  type View,
  withView,
} from './saved-views.js';

interface ViewBarProps {
  /** The search as it stands; empty: there is none. */
  readonly text: string;
  /** Its name in the address; null: it has none. */
  readonly name: string | null;
}

/** Searches that have names, and a name for the present one. */
export function ViewBar({ name, text }: ViewBarProps): JSX.Element | null {
  const { route } = useLocation();
  const [views, set] = useState(savedViews);
  const [isNaming, setNaming] = useState(false);
  const change = (next: readonly View[]): void => {
    keepViews(next);
    set(next);
  };
  const save = (given: string): void => {
    change(withView(views, { name: given, q: text }));
    setNaming(false);
    route(searchAddress(text, { name: given }), true);
  };
  const isSaved = views.some((view) => view.q === text);
  if (views.length === 0 && text === '') return null;
  return (
    <section class="views" aria-label={WORDS.views.title}>
      <ul>
        {views.map((view) => (
          <ViewLink
            key={view.name}
            view={view}
            isHere={view.q === text}
            onRemove={() => change(views.filter((other) => other !== view))}
          />
        ))}
        {name !== null && text !== '' && !isSaved && (
          <li class="view is-here">
            <a href={searchAddress(text, { name })} aria-current="page">
              <bdi>{name}</bdi>
            </a>
          </li>
        )}
      </ul>
      {text !== '' && !isSaved && (
        <button type="button" class="quiet" onClick={() => setNaming(true)}>
          {WORDS.views.save}
        </button>
      )}
      {text !== '' && <CopyLink />}
      {isNaming && <NameDialog name={name ?? ''} onClose={() => setNaming(false)} onSave={save} />}
    </section>
  );
}

interface ViewLinkProps {
  readonly view: View;
  readonly isHere: boolean;
  readonly onRemove: () => void;
}

function ViewLink({ isHere, onRemove, view }: ViewLinkProps): JSX.Element {
  const remove = `${WORDS.views.remove} ${view.name}`;
  return (
    <li class={isHere ? 'view is-here' : 'view'}>
      <a
        href={searchAddress(view.q, { name: view.name })}
        title={view.q}
        {...(isHere && { 'aria-current': 'page' as const })}>
        <bdi>{view.name}</bdi>
      </a>
      <button type="button" class="quiet" aria-label={remove} title={remove} onClick={onRemove}>
        <Icon name="cross" />
      </button>
    </li>
  );
}

function CopyLink(): JSX.Element {
  const [said, say] = useState('');
  const copy = async (): Promise<void> => {
    say((await copyText(location.href)) ? WORDS.task.copied : WORDS.task.notCopied);
  };
  return (
    <>
      <button type="button" class="quiet" onClick={() => void copy()}>
        {WORDS.views.copyLink}
      </button>
      <span role="status" class="faint">
        {said}
      </span>
    </>
  );
}

interface NameDialogProps {
  readonly name: string;
  readonly onClose: () => void;
  readonly onSave: (name: string) => void;
}

function NameDialog({ name, onClose, onSave }: NameDialogProps): JSX.Element {
  const [typed, type] = useState(name);
  const [error, setError] = useState<string | null>(null);
  const id = useId();
  const box = useRef<HTMLInputElement>(null);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (typed.trim() !== '') return onSave(typed.trim());
    setError(WORDS.views.nameMissing);
    box.current?.focus();
  };
  return (
    <Modal title={WORDS.views.saveTitle} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <p class="faint">{WORDS.views.about}</p>
        <div class="field">
          <label for={id}>{WORDS.views.name}</label>
          <input
            id={id}
            ref={box}
            value={typed}
            autofocus
            autocomplete="off"
            maxLength={NAME_MAX}
            onInput={({ currentTarget }) => type(currentTarget.value)}
          />
        </div>
        <DialogEnd words={WORDS.views.keep} {...{ error, onClose }} />
      </form>
    </Modal>
  );
}
