import * as fc from 'fast-check';
import type { JsonObject, JsonValue } from '#core';

const ODD_CHARACTERS = [
  ...['\0', '\u0001', '\n', '\u2028', '\u2029', '\uFEFF', '\uFFFD', '\u200D', 'e\u0301'],
  ...['😀', '👩‍🚀', '\u{10FFFF}', '"', '\\', "'", '$', '.', '%', '%3D', '=', '/', '~', '~1', ' '],
];
const ODD_KEYS = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'toJSON'],
  ...['$set', '$gt', '$', 'a.b', '.', '', '_id', 'length', '0', '-1', '01', 'v', '{', '[0]'],
];
const EDGE_NUMBERS = [
  ...[0, -0, 1, -1, 0.1, 1e21, 1e-7, 1e308, -1e308, Number.MAX_VALUE, Number.MIN_VALUE, -5e-324],
  ...[2 ** 31, -(2 ** 31) - 1, 2 ** 32, 2 ** 53, 2 ** 53 - 1, 2 ** 53 + 2, -(2 ** 53), 2 ** 63],
  ...[2 ** 64, 2.225_073_858_507_201e-308, 1_763_700_000_000.5, 123_456_789_012_345_680],
];
const HALVES = ['\ud800', '\udbff', '\udc00', '\udfff'];

/** Any character. The unit `binary` of fast-check is the same, and a map of a million of them. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10_f7_ff })
  .map((n) => String.fromCodePoint(n < 0xd8_00 ? n : n + 0x8_00));

/** Texts of odd characters: controls, astral ones, whatever means something somewhere. */
export const wellFormedText = fc.string({
  unit: fc.oneof(fc.constantFrom(...ODD_CHARACTERS), anyCharacter),
  maxLength: 12,
});

/** The same with halves of surrogate pairs, which UTF-8 cannot write. */
export const anyText = fc.oneof(
  wellFormedText,
  fc.string({
    unit: fc.oneof(fc.constantFrom(...HALVES), fc.constantFrom(...ODD_CHARACTERS)),
    maxLength: 8,
  }),
);

/** Numbers that JSON can write, most of them at a border. */
export const edgeNumber = fc.oneof(
  fc.constantFrom(...EDGE_NUMBERS),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
);

/** The building blocks of hostile JSON. */
export interface JsonMaterial {
  readonly text: fc.Arbitrary<string>;
  /** Names that no member has. */
  readonly without?: readonly string[];
}

/** JSON objects of hostile keys and values; a member named `__proto__` is one of its own. */
export function hostileObject(material: JsonMaterial): fc.Arbitrary<JsonObject> {
  return objectOf(material, 3);
}

function valueOf(material: JsonMaterial, depth: number): fc.Arbitrary<JsonValue> {
  const leaf = fc.oneof(material.text, edgeNumber, fc.boolean(), fc.constant(null));
  if (depth === 0) return leaf;
  const list = fc.array(valueOf(material, depth - 1), { maxLength: 4 });
  return fc.oneof({ weight: 3, arbitrary: leaf }, list, objectOf(material, depth - 1));
}

function objectOf(material: JsonMaterial, depth: number): fc.Arbitrary<JsonObject> {
  const { text, without = [] } = material;
  const key = fc
    .oneof(fc.constantFrom(...ODD_KEYS), text)
    .filter((name) => !without.includes(name));
  const members = fc.uniqueArray(fc.tuple(key, valueOf(material, depth)), {
    selector: ([name]) => name,
    maxLength: 5,
  });
  // fromEntries defines members: no key reaches a prototype.
  return members.map((entries): JsonObject => Object.fromEntries(entries));
}

/** An object that is nested so deeply, itself counted, by lists or by objects. */
export function nestedObject(depth: number, by: 'list' | 'object'): JsonObject {
  const inner = depth - 1;
  const [open, close] = by === 'list' ? ['[', ']'] : ['{"d":', '}'];
  const core = by === 'list' ? '' : '0';
  return JSON.parse(`{"deep":${open.repeat(inner)}${core}${close.repeat(inner)}}`) as JsonObject;
}

/** An object that is exactly a number of bytes long as JSON. */
export function sizedObject(bytes: number, filler = 'x'): JsonObject {
  const room = bytes - Buffer.byteLength('{"text":""}');
  const size = Buffer.byteLength(filler);
  return { text: filler.repeat(Math.floor(room / size)) + 'y'.repeat(room % size) };
}
