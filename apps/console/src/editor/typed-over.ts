import { EditorView } from '@codemirror/view';

/**
 * Puts what is typed in the place of a selection. A browser that does it itself keeps the look of
 * what it takes away by an inline style, which the policy of the page refuses.
 */
export const typedOver = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { from, to, empty } = view.state.selection.main;
    const text = event.data ?? '';
    if (event.inputType !== 'insertText' || empty || text === '' || view.composing) return false;
    const insert = () =>
      view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type' });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, from, to, text, insert))) view.dispatch(insert());
    return true;
  },
});
