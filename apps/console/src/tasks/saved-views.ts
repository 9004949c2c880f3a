import { keep, kept } from '../browser/storage.js';
import { readSearch } from './search.js';

/** A search that a person gave a name. */
export interface View {
  readonly name: string;
  /** The search text. */
  readonly q: string;
}

/** Longest name of a view, in characters. */
export const NAME_MAX = 60;
const MOST = 50;
const PLACE = 'views';

/** The views that this browser keeps, in the order of their names. */
export function savedViews(): readonly View[] {
  return readViews(kept(PLACE));
}

/** Reads kept views; whatever is no view is left out. */
export function readViews(text: string | null): readonly View[] {
  try {
    const read: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(read) ? read.filter(isView).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

/** Keeps views for the next time. */
export function keepViews(views: readonly View[]): void {
  keep(PLACE, views.length === 0 ? null : JSON.stringify(views));
}

/** The views with this one, which takes the place of one of the same name. */
export function withView(views: readonly View[], view: View): readonly View[] {
  const others = views.filter(({ name }) => name !== view.name);
  return [...others, view].sort((one, other) => one.name.localeCompare(other.name)).slice(0, MOST);
}

/** The order of a list by when its tasks were created. */
export type Order = 'newest' | 'oldest';

/** The parts of the address of a list besides its search. */
interface Look {
  /** Under which the search was saved. Default: none. */
  readonly name?: string | null;
  /** Default: `newest`. */
  readonly order?: Order;
}

/** The address of a search; of the id of a task, that of its page. */
export function searchAddress(q: string, { name = null, order = 'newest' }: Look = {}): string {
  const { taskId } = readSearch(q);
  if (taskId !== null) return `/console/tasks/${taskId}`;
  const query = new URLSearchParams({
    ...(q !== '' && { q }),
    ...(name !== null && { view: name }),
    ...(order !== 'newest' && { order }),
  });
  return query.size === 0 ? '/console/tasks' : `/console/tasks?${query}`;
}

function isView(value: unknown): value is View {
  const view = value as Partial<View> | null;
  return typeof view?.name === 'string' && view.name !== '' && typeof view.q === 'string';
}
