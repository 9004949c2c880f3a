import type { FlowDefinition, JsonObject, JsonValue } from '#core';
import { CHILDREN_MAX } from '#core';
import { isExpression, parseExpression } from '#expressions';
import { clip, isObject } from '../json-document.js';
import type { Examination } from './examination.js';
import { memberOf } from './list-view.js';

/** A path of names into the parameters or the request, and nothing else. */
const PATH = /^\s*(?:(\$input|\$\$?)\.)?([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*$/;

/** Warns of a `foreach` whose items a request sends, so many as it likes. */
export function checkForeach({ definition, lists, origins, warnings }: Examination): void {
  const own = new Set(lists.flatMap(({ given, steps }) => [...given, ...steps.flatMap(setBy)]));
  for (const step of lists.flatMap(({ steps }) => steps)) {
    const { in: items } = step.foreach ?? {};
    if (typeof items !== 'string' || !isExpression(items)) continue;
    const open = openIn(items, definition, own);
    if (open === null) continue;
    const message =
      `Whoever starts a task says by \`${clip(open)}\` how many child tasks there are,` +
      ` up to ${CHILDREN_MAX}.`;
    const hint = 'Give it a `maxItems` (or a number its `maximum`) in `input`.';
    const pointer = memberOf(step, origins, 'foreach', 'in');
    warnings.add({ pointer, code: 'FOREACH_WITHOUT_BOUND', message, hint });
  }
}

function setBy({ set = {} }: FlowDefinition['steps'][number]): readonly string[] {
  return Object.keys(set);
}

/**
 * The member of a request that says how many items there are, without a bound; null: none is
 * known. A name that the flow gives a value itself is no member of a request.
 */
function openIn(text: string, { input }: FlowDefinition, own: ReadonlySet<string>): string | null {
  const parsed = parseExpression(text);
  if (input === null || !('names' in parsed)) return null;
  const [, from, path] = PATH.exec(parsed.source) ?? [];
  if (path !== undefined) {
    const names = path.split('.');
    const isOwn = from !== '$input' && own.has(names[0] ?? '');
    return !isOwn && isOpenList(memberAt(input, names)) ? path : null;
  }
  const isRange = parsed.source.includes('..');
  const read = [
    ...parsed.names.input.named,
    ...parsed.names.parameters.named.filter(({ name }) => !own.has(name)),
  ];
  const found = read.find(({ name }) => {
    const schema = memberAt(input, [name]);
    return isOpenList(schema) || (isRange && isOpenNumber(schema));
  });
  return found?.name ?? null;
}

/** The schema of a member, as far as `properties` say it. */
function memberAt(input: JsonObject, names: readonly string[]): JsonValue | undefined {
  let at: JsonValue | undefined = input;
  for (const name of names) {
    const members: JsonValue | undefined = isObject(at) ? at['properties'] : undefined;
    at = isObject(members) && Object.hasOwn(members, name) ? members[name] : undefined;
  }
  return at;
}

function isOpenList(schema: JsonValue | undefined): boolean {
  return isOfType(schema, 'array') && !('maxItems' in schema);
}

function isOpenNumber(schema: JsonValue | undefined): boolean {
  const isNumber = isOfType(schema, 'integer') || isOfType(schema, 'number');
  return isNumber && !('maximum' in schema) && !('exclusiveMaximum' in schema);
}

/** Of a type, and not of values that are listed. */
function isOfType(schema: JsonValue | undefined, type: string): schema is JsonObject {
  if (!isObject(schema) || 'enum' in schema || 'const' in schema) return false;
  return [schema['type'] ?? []].flat().includes(type);
}
