import { type Database } from './database.js';
import { ForeignFile } from './foreign-file.js';

/** Without what SQLite makes by itself: indexes of keys, and statistics. */
const PARTS = `
  SELECT type, name, coalesce(sql, '') FROM sqlite_master
  WHERE NOT (type = 'index' AND sql IS NULL)
    AND NOT (type = 'table' AND name IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4'))
  ORDER BY type, name`;

/** Parts that are named, at most. */
const SHOWN_MAX = 5;

/**
 * Throws {@link ForeignFile} where a file has triggers, views or virtual tables: a store has none,
 * and they would act with each statement of this process. To be called before the first write.
 */
export function expectNoPrograms(db: Database): void {
  const found = partsOf(db).filter(({ sql, type }) => {
    return (type !== 'table' && type !== 'index') || /^\s*CREATE\s+VIRTUAL\b/i.test(sql);
  });
  refuse(found.map(({ title }) => title));
}

/** Throws {@link ForeignFile} where a file has tables or indexes that a store does not have. */
export function expectNoOthers(db: Database, fresh: Database): void {
  const known = new Set(partsOf(fresh).map(({ title }) => title));
  const titles = partsOf(db).map(({ title }) => title);
  refuse(titles.filter((title) => !known.has(title)));
}

interface Part {
  readonly type: string;
  readonly sql: string;
  /** As people read it: `trigger grants_admin`. */
  readonly title: string;
}

function partsOf(db: Database): readonly Part[] {
  return db
    .prepare(PARTS)
    .rows([])
    .map(([type, name, sql]) => ({
      type: String(type),
      sql: String(sql),
      title: `${type} ${name}`,
    }));
}

function refuse(titles: readonly string[]): void {
  if (titles.length === 0) return;
  const shown = titles.slice(0, SHOWN_MAX).map((title) => JSON.stringify(title));
  const more = titles.length - shown.length;
  const rest = more > 0 ? ` and ${more} more` : '';
  throw new ForeignFile(`holds what no store has: ${shown.join(', ')}${rest}. Drop it by hand`);
}
