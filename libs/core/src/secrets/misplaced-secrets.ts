import type { JsonObject } from '../json/json.js';
import { BY_NAME, IN_PLACE, LISTS_IN_PLACE, SCHEMAS } from './secret-keywords.js';
import { isObject } from '../json/shape.js';

/** Where a schema stands: what `"secret": true` would be about there. */
type Standing = 'all parameters' | 'no value' | 'a value';

/** Keywords whose schemas are about no value that could be sealed. */
const OF_NO_VALUE: readonly string[] = ['not', 'propertyNames'];

/**
 * The pointers to each `"secret": true` of a flow's input that `changeSecrets` cannot keep: it is
 * about all parameters together, about their names, or about values that are not there.
 */
export function misplacedSecrets(input: JsonObject): readonly string[] {
  const search = new MisplacedSearch(input);
  search.look(input, '', 'all parameters');
  return [...search.found];
}

class MisplacedSearch {
  readonly found = new Set<string>();
  readonly #seen: Readonly<Record<Standing, Set<unknown>>> = {
    'all parameters': new Set(),
    'no value': new Set(),
    'a value': new Set(),
  };

  constructor(private readonly root: JsonObject) {}

  look(schema: unknown, pointer: string, standing: Standing): void {
    if (!isObject(schema) || this.#seen[standing].has(schema)) return;
    this.#seen[standing].add(schema);
    if (schema['secret'] === true) {
      // A value is sealed as a whole, whatever the schemas in it say.
      if (standing !== 'a value') this.found.add(`${pointer}/secret`);
      return;
    }
    for (const [keyword, part] of Object.entries(schema)) {
      const at = `${pointer}/${keyword}`;
      if (keyword === '$ref') this.#follow(part, standing);
      else if (OF_NO_VALUE.includes(keyword)) this.look(part, at, 'no value');
      else if (keyword !== '$defs') this.#lookInto(part, at, this.#within(keyword, standing));
    }
  }

  /** The standing of the schemas of a keyword; null: it has none. */
  #within(keyword: string, standing: Standing): Standing | null {
    const isInPlace =
      IN_PLACE.includes(keyword) ||
      LISTS_IN_PLACE.includes(keyword) ||
      keyword === 'dependentSchemas';
    if (isInPlace) return standing;
    if (!BY_NAME.has(keyword) && !SCHEMAS.has(keyword)) return null;
    return standing === 'no value' ? standing : 'a value';
  }

  #lookInto(part: unknown, pointer: string, standing: Standing | null): void {
    if (standing === null) return;
    const keyword = pointer.slice(pointer.lastIndexOf('/') + 1);
    if (!BY_NAME.has(keyword) && !Array.isArray(part)) return this.look(part, pointer, standing);
    for (const [name, each] of Object.entries(part ?? {})) {
      const escaped = name.replaceAll('~', '~0').replaceAll('/', '~1');
      this.look(each, `${pointer}/${escaped}`, standing);
    }
  }

  #follow(to: unknown, standing: Standing): void {
    if (typeof to !== 'string') return;
    if (to === '#') return this.look(this.root, '', standing);
    const name = to.slice('#/$defs/'.length);
    const definitions = this.root['$defs'];
    if (isObject(definitions)) this.look(definitions[name], `/$defs/${name}`, standing);
  }
}
