import type { Collection, Db, Document, Filter, UpdateFilter } from 'mongodb';
import { readStoredJson } from '#core/json';
import type { BarrierContext } from '#ports';
import { StaleToken } from '../refusal.js';
import {
  type Inverse,
  joinUpdates,
  markKey,
  type MarkedDocument,
  type Place,
  type PlacedMark,
} from './mongo-mark.js';

/** One effect on one document that exists. */
export interface PlacedEffect {
  readonly collection: string;
  readonly id: string;
  /** Tells effects of one step on one document apart. */
  readonly item?: string;
  /** The condition under which the effect is possible. */
  readonly filter?: Filter<Document>;
  readonly update: UpdateFilter<Document>;
  readonly undo: Inverse;
}

/** The condition of an undo does not hold now. */
export class UndoRefused extends Error {
  override readonly name = 'UndoRefused';
}

/** The dependencies of a transaction, from its barrier. */
interface MongoTxParts {
  readonly context: BarrierContext;
  readonly db: Db;
  /** Where earlier attempts have been, or may be on their way to. */
  readonly places: readonly Place[];
  /** No attempt can be on its way to a place: marks may go with their effects. */
  readonly isQuiet: boolean;
  /** Stores that the step is going to a place; throws a refusal. */
  readonly announce: (place: Place) => Promise<void>;
  /** Takes a place off the list where nothing came of it. */
  readonly retract: (place: Place) => Promise<void>;
}

/**
 * The effects of one attempt. Each is a conditional update of one document, which carries the
 * step's mark in the same write: so every single effect is there exactly when its mark is.
 */
export class MongoTx {
  readonly #fenced = new Set<string>();
  readonly #made: Place[] = [];

  constructor(private readonly parts: MongoTxParts) {}

  /** Makes an effect; false where its filter does not fit. */
  async place(effect: PlacedEffect): Promise<boolean> {
    const { context } = this.parts;
    const { collection, filter = {}, id, item = '', undo, update } = effect;
    const place = { collection, id, item };
    await this.parts.announce(place);
    this.#made.push(place);
    const mark: PlacedMark = {
      key: markKey(context, item),
      live: true,
      token: context.fencingToken,
      undo: JSON.stringify(undo),
    };
    const { key, token } = mark;
    const wasFenced = this.#fenced.has(nameOf(place));
    const free = wasFenced
      ? { marks: { $elemMatch: { key, live: false, token: { $lte: token } } } }
      : { marks: { $not: { $elemMatch: { key } } } };
    const stamp = wasFenced ? { $set: { 'marks.$[mark]': mark } } : { $push: { marks: mark } };
    const both = joinUpdates(update, stamp as unknown as UpdateFilter<Document>);
    if (await this.#update(place, { $and: [filter, free] }, both)) return true;
    if (await this.#isThere(place)) return true;
    // The server has said no, so nothing is on its way there; an attempt before may be.
    if (wasFenced) return false;
    this.#made.pop();
    await this.parts.retract(place);
    return false;
  }

  /** Takes back whatever the step has done, and keeps out attempts that are still on their way. */
  async takeBack(): Promise<void> {
    for (const place of this.parts.places) await this.#clear(place);
  }

  /** Takes back what this attempt has done. */
  async abandon(): Promise<void> {
    for (const place of this.#made) await this.#clear(place);
  }

  async #clear(place: Place): Promise<void> {
    // A mark that changes between reading and writing is looked at again; tokens only grow.
    for (;;) {
      if (await this.#clearAsRead(place, await this.#readMark(place))) break;
    }
    this.#fenced.add(nameOf(place));
  }

  async #clearAsRead(place: Place, mark: PlacedMark | null): Promise<boolean> {
    const { context, isQuiet } = this.parts;
    const token = context.fencingToken;
    const key = markKey(context, place.item);
    if (mark === null) {
      if (isQuiet) return true;
      const fence: PlacedMark = { key, live: false, token, undo: null };
      return this.#change(place, { marks: { $not: { $elemMatch: { key } } } }, {
        $push: { marks: fence },
      } as unknown as UpdateFilter<Document>);
    }
    if (mark.token > token) throw new StaleToken(token, mark.token);
    if (mark.live) return this.#revert(place, mark);
    if (mark.token === token) return true;
    const seen = { marks: { $elemMatch: { key, live: false, token: mark.token } } };
    return this.#change(place, seen, { $set: { 'marks.$[mark].token': token } });
  }

  async #revert(place: Place, mark: PlacedMark): Promise<boolean> {
    const { context, isQuiet } = this.parts;
    const { key } = mark;
    const undo = readStoredJson(mark.undo ?? '{"update":{}}', 'an undo') as Inverse;
    const seen = { marks: { $elemMatch: { key, live: true, token: mark.token } } };
    const dead: PlacedMark = { key, live: false, token: context.fencingToken, undo: null };
    const stamp = (
      isQuiet ? { $pull: { marks: { key } } } : { $set: { 'marks.$[mark]': dead } }
    ) as object;
    const undone = joinUpdates(undo.update, stamp);
    const fits = { $and: [seen, undo.when ?? {}] };
    if (await this.#change(place, fits, undone)) return true;
    const now = await this.#readMark(place);
    if (now?.live !== true || now.token !== mark.token) return false;
    if (undo.otherwise !== 'gone') {
      throw new UndoRefused(`the effect on ${place.collection} ${place.id} cannot be undone now`);
    }
    return this.#change(place, seen, stamp);
  }

  /** A document that is gone holds no effect: nothing is left to change. */
  async #change(
    place: Place,
    filter: Filter<Document>,
    update: UpdateFilter<Document>,
  ): Promise<boolean> {
    if (await this.#update(place, filter, update)) return true;
    const { collection, id } = place;
    return (await this.#documents(collection).countDocuments({ _id: id }, { limit: 1 })) === 0;
  }

  async #update(
    { collection, id, item }: Place,
    filter: Filter<Document>,
    update: UpdateFilter<Document>,
  ): Promise<boolean> {
    const one = { $and: [{ _id: id }, filter] } as Filter<MarkedDocument>;
    // By its key, not by `$`: the filter may be about other arrays as well.
    const namesMark = '$set' in update && JSON.stringify(update.$set).includes('marks.$[mark]');
    const key = markKey(this.parts.context, item);
    const result = await this.#documents(collection).updateOne(
      one,
      update,
      namesMark ? { arrayFilters: [{ 'mark.key': key }] } : {},
    );
    return result.matchedCount === 1;
  }

  async #readMark({ collection, id, item }: Place): Promise<PlacedMark | null> {
    const key = markKey(this.parts.context, item);
    const found = await this.#documents(collection).findOne(
      { _id: id },
      { projection: { marks: { $elemMatch: { key } } } },
    );
    return found?.marks?.[0] ?? null;
  }

  /**
   * Whether the effect is in although the server said no: a driver that lost the first answer has
   * sent it twice, and not every server knows its own first answer again. Throws a refusal.
   */
  async #isThere(place: Place): Promise<boolean> {
    const { fencingToken } = this.parts.context;
    const mark = await this.#readMark(place);
    if (mark === null) return false;
    if (mark.token > fencingToken) throw new StaleToken(fencingToken, mark.token);
    return mark.live && mark.token === fencingToken;
  }

  #documents(collection: string): Collection<MarkedDocument> {
    return this.parts.db.collection<MarkedDocument>(collection);
  }
}

function nameOf({ collection, id, item }: Place): string {
  return JSON.stringify([collection, id, item]);
}
