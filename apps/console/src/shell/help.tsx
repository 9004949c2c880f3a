import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Modal } from '../ui/modal.js';
import { WORDS } from '../words.js';
import { areKeysOn, turnKeys } from './shortcuts.js';

/** Lists the keys, and turns them off for who speaks to the machine. */
export function Help({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [areOn, set] = useState(areKeysOn);
  const turn = (): void => {
    turnKeys(!areOn);
    set(!areOn);
  };
  return (
    <Modal title={WORDS.help.title} onClose={onClose}>
      <dl class="keys">
        {WORDS.help.list.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label class="choice">
        <input type="checkbox" checked={areOn} onChange={turn} />
        {WORDS.help.on}
      </label>
      <div class="buttons">
        <button type="button" onClick={onClose}>
          {WORDS.close}
        </button>
      </div>
    </Modal>
  );
}
