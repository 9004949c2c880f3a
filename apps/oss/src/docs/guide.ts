import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Page, pageOf } from './pages.js';

const ENDING = '.html';

/**
 * The pages of the documentation, which the build has put into a folder as fragments of HTML: a
 * title in the first line, and what stands below it.
 */
export class Guide {
  private constructor(private readonly files: ReadonlyMap<string, string>) {}

  /** Looks for the pages of a folder, of which there are none where none were built. */
  static in(folder: string): Guide {
    const names = pagesIn(folder).map((file) => file.split(path.sep).join('/'));
    const pages = names.filter((name) => name.endsWith(ENDING));
    return new Guide(
      new Map(pages.map((name) => [name.slice(0, -ENDING.length), path.join(folder, name)])),
    );
  }

  /** Names of the pages, such as `write-a-flow`. */
  names(): readonly string[] {
    return [...this.files.keys()];
  }

  /** A page by its name; null: there is none. */
  page(name: string): Page | null {
    const file = this.files.get(name);
    if (file === undefined) return null;
    const [title = '', ...lines] = readFileSync(file, 'utf8').split('\n');
    return pageOf(title, `<main>${lines.join('\n')}</main>`);
  }
}

function pagesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return [];
  }
}
