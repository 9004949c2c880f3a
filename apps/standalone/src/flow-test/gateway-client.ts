import type { JsonValue } from '#core';
import { readStoredJson } from '#core/json';

interface Refusal {
  readonly title: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly pointer: string; readonly message: string }[];
}

/** Sends requests of a test to its gateway. */
export class GatewayClient {
  constructor(private readonly url: string) {}

  /** The answer to a `GET`, or with a body to a `POST`. Throws the reasons of a refusal. */
  async ask<T>(path: string, body?: object): Promise<T> {
    const posted = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const response = await fetch(new URL(path, this.url), body === undefined ? {} : posted);
    const answer = readStoredJson(await response.text(), 'an answer') as JsonValue;
    if (response.ok) return answer as T;
    const { detail, errors = [], title } = answer as unknown as Refusal;
    const faults = errors.map(({ message, pointer }) => `${pointer}: ${message}`);
    throw new Error([detail ?? title, ...faults].join('\n'));
  }
}
