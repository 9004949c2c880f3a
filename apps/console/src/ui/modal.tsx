import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface ModalProps {
  readonly title: string;
  readonly onClose: () => void;
  /** Id of the part that says what it is about; absent: the title says all. */
  readonly aboutId?: string;
  readonly children: ComponentChildren;
}

/**
 * A dialog over the page. The browser keeps the focus in it and gives it back afterwards. On a
 * phone it is read from its beginning; elsewhere the field has the focus that asks for it.
 */
export function Modal({ aboutId, children, onClose, title }: ModalProps): JSX.Element {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (dialog === null || dialog.open) return undefined;
    dialog.showModal();
    if (!isSmallScreen()) return () => dialog.close();
    dialog.focus();
    // The field that had the focus at first lies below.
    dialog.scrollTop = 0;
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      aria-describedby={aboutId}
      onClose={onClose}
      class="modal"
      tabIndex={-1}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

/**
 * Whether the page is looked at on a phone. There the keyboard covers half of the screen, so
 * nothing may open it before the reader has seen what it is about.
 */
function isSmallScreen(): boolean {
  return matchMedia('(pointer: coarse), (max-width: 720px)').matches;
}
