import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { Modal } from '../ui/modal.js';
import { OptionList, useOptions } from '../ui/options.js';
import { WORDS } from '../words.js';
import { type Command, fittingCommands, offered } from './commands.js';
import { useFound } from './use-found.js';

/** A box that finds pages, flows, tasks and actions by their words, and goes there or does them. */
export function Palette({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [text, type] = useState('');
  const { route } = useLocation();
  const { flows, tasks } = useFound(text, route);
  const { box, count, hint, kinds, none, title } = WORDS.palette;
  const commands = [...tasks, ...fittingCommands([...offered(), ...flows], text)];
  const options = useOptions(commands.length, text, 0);
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    run(commands[options.active]);
  };
  const shown = commands.map(({ id, kind, words }) => ({ id, words, note: kinds[kind] }));
  return (
    <Modal title={title} onClose={onClose}>
      <form class="palette" onSubmit={submit}>
        <input
          type="text"
          role="combobox"
          aria-label={box}
          aria-autocomplete="list"
          aria-expanded="true"
          aria-controls={options.listId}
          {...(options.activeId !== undefined && { 'aria-activedescendant': options.activeId })}
          value={text}
          placeholder={hint}
          autofocus
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => type(currentTarget.value)}
          onKeyDown={options.onKey}
        />
        <OptionList
          label={title}
          options={shown}
          state={options}
          onPick={(at) => run(commands[at])}
        />
        <p role="status" class={commands.length === 0 ? 'empty' : 'unseen'}>
          {commands.length === 0 ? none : `${commands.length} ${count}`}
        </p>
      </form>
    </Modal>
  );
}
