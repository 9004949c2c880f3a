import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface ModalProps {
  readonly title: string;
  readonly onClose: () => void;
  /** Id of the part that says what it is about; absent: the title says all. */
  readonly aboutId?: string;
  readonly children: ComponentChildren;
}

/** A dialog over the page. The browser keeps the focus in it and gives it back afterwards. */
export function Modal({ aboutId, children, onClose, title }: ModalProps): JSX.Element {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (dialog === null || dialog.open) return undefined;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      aria-describedby={aboutId}
      onClose={onClose}
      class="modal"
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
