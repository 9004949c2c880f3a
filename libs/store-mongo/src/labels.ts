import { ORIGIN_NAMES, type TaskPlan } from '#core';
import { DocumentFault, readList } from '#core/json';
import { fromSafe, toSafe } from './bson-values.js';

type Labels = TaskPlan['labels'];

type Sought = Pick<TaskPlan, 'labels'> & { readonly origin?: TaskPlan['origin'] | undefined };

/** No label is written so: in the name of one a percent sign is escaped. */
const ORIGIN = '%';
const OF_ORIGIN = ORIGIN_NAMES.map((name) => `${ORIGIN}${name}=`);

/**
 * The texts by which a task is found: `name=value` for a label, `%name=value` for a member of its
 * origin. One index serves every name.
 */
export function labelsToTexts({ labels, origin }: Sought): readonly string[] {
  const given = Object.entries(origin ?? {});
  return [
    ...given.map(([name, value]) => toSafe(`${ORIGIN}${name}=${value}`)),
    ...Object.entries(labels).map(([name, value]) => toSafe(`${escapeName(name)}=${value}`)),
  ];
}

/** The labels behind such texts; absent: none. */
export function textsToLabels(texts: readonly string[] = []): Labels {
  const known = readList(texts, 'labels').map(originalOf);
  const labels = known.filter((text) => !OF_ORIGIN.some((start) => text.startsWith(start)));
  return Object.fromEntries(labels.map(splitText));
}

function originalOf(text: string): string {
  if (typeof text !== 'string') throw new DocumentFault('labels has what is not a text');
  return fromSafe(text);
}

function splitText(original: string): readonly [string, string] {
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
