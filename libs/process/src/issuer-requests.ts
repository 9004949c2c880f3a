import type { FormAnswer, SentForm } from '#access';
import { bytesOf, readJson, WrongJson } from '#json';
import { withinLimit } from '#machine';
import type { Clock } from '#ports';

const ANSWER_MS = 5_000;
const BYTES_MAX = 1024 * 1024;
const LIMITS = { bytes: BYTES_MAX };

type Waits = Pick<Clock, 'after'>;

/**
 * The JSON at an address. Rejects where there is none, or no whole answer within 5 s. Redirects are
 * not followed, and an answer of more than 1 MiB is not read.
 */
export function fetchJson(url: string, clock: Waits): Promise<unknown> {
  return ask({ url, clock }, async (response) => {
    if (!response.ok) throw new Error(`the answer has status ${response.status}`);
    return readJson(await bytesOf(response, BYTES_MAX), LIMITS);
  });
}

/** Sends a form, within the same limits; rejects where nothing answers. */
export function sendForm({ fields, headers, url }: SentForm, clock: Waits): Promise<FormAnswer> {
  const form = new URLSearchParams(fields);
  return ask({ url, clock, method: 'POST', headers, body: form }, async (response) => {
    const body = jsonIn(await bytesOf(response, BYTES_MAX));
    return { status: response.status, body };
  });
}

interface Asked extends Pick<RequestInit, 'body' | 'method'> {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly clock: Waits;
}

function ask<T>(
  { clock, headers, url, ...init }: Asked,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  return withinLimit(
    async (signal) => {
      const sent = { accept: 'application/json', ...headers };
      return read(await fetch(url, { ...init, headers: sent, redirect: 'error', signal }));
    },
    { clock, ms: ANSWER_MS },
  );
}

function jsonIn(bytes: Uint8Array): unknown {
  try {
    return readJson(bytes, LIMITS);
  } catch (error) {
    if (error instanceof WrongJson) return null;
    throw error;
  }
}
