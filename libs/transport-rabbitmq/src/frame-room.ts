import type { Options } from 'amqplib';

/** The frame's own bytes, the properties besides the headers, and room to spare. */
const REST_BYTES = 1_536;
/** A header has its name, with its length, a letter for its kind, and the length of a text. */
const HEADER_BYTES = 6;
/** A number, or what else is no text. */
const VALUE_BYTES = 16;
/** Bytes of UTF-8 that a unit of a string may take. */
const UNIT_BYTES = 3;
/** The driver writes headers into a buffer of this size, and beyond its end without a word. */
const DRIVER_BYTES = 65_536;
/** Headers of our own that are no longer than this go last: they say why a message is there. */
const OWN_BYTES = 512;

/**
 * The properties of a message as one frame of the connection can take them: unlike the body, they
 * cannot be split, and a broker closes a connection for a larger frame. The longest texts among the
 * headers stay at home, as many as must: all but what the body says is there to save work.
 */
export function fitToFrame(properties: Options.Publish, frameMax: number): Options.Publish {
  const headers: Readonly<Record<string, unknown>> = properties.headers ?? {};
  const entries = Object.entries(headers);
  const most = Math.min(frameMax, DRIVER_BYTES) - REST_BYTES;
  if (sumOf(entries, unitsOf) <= most) return properties;
  const sized = entries.map(([name, value]) => ({ name, value, bytes: bytesOf([name, value]) }));
  let bytes = sized.reduce((sum, entry) => sum + entry.bytes, 0);
  if (bytes <= most) return properties;
  for (const entry of sized.toSorted((a, b) => weightOf(b) - weightOf(a))) {
    if (bytes <= most) break;
    bytes -= entry.bytes;
    sized.splice(sized.indexOf(entry), 1);
  }
  const kept = Object.fromEntries(sized.map(({ name, value }) => [name, value]));
  return { ...properties, headers: kept };
}

function weightOf({ bytes, name }: { readonly bytes: number; readonly name: string }): number {
  return bytes <= OWN_BYTES && name.startsWith('x-backstep-') ? 0 : bytes;
}

type Header = readonly [name: string, value: unknown];

function sumOf(entries: readonly Header[], size: (entry: Header) => number): number {
  return entries.reduce((sum, entry) => sum + size(entry), 0);
}

/** The most bytes that it may take: this reads no text. */
function unitsOf([name, value]: Header): number {
  const units = typeof value === 'string' ? value.length * UNIT_BYTES : VALUE_BYTES;
  return HEADER_BYTES + name.length * UNIT_BYTES + units;
}

function bytesOf([name, value]: Header): number {
  const bytes = typeof value === 'string' ? Buffer.byteLength(value) : VALUE_BYTES;
  return HEADER_BYTES + Buffer.byteLength(name) + bytes;
}
