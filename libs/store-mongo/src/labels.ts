import { DocumentFault, readList } from '#core/json';
import { fromSafe, toSafe } from './bson-values.js';

type Labels = Readonly<Record<string, string>>;

/** Labels as texts `name=value`: one index serves every name. */
export function labelsToTexts(labels: Labels): readonly string[] {
  return Object.entries(labels).map(([name, value]) => toSafe(`${escapeName(name)}=${value}`));
}

/** The labels behind their texts; absent: none. */
export function textsToLabels(texts: readonly string[] = []): Labels {
  return Object.fromEntries(readList(texts, 'labels').map(splitText));
}

function splitText(text: string): readonly [string, string] {
  if (typeof text !== 'string') throw new DocumentFault('labels has what is not a text');
  const original = fromSafe(text);
  const equals = original.indexOf('=');
  return [unescapeName(original.slice(0, equals)), original.slice(equals + 1)];
}

/** The first equals sign ends the name, so none may be in it. */
function escapeName(name: string): string {
  return name.replaceAll('%', '%25').replaceAll('=', '%3D');
}

function unescapeName(name: string): string {
  return name.replaceAll('%3D', '=').replaceAll('%25', '%');
}
