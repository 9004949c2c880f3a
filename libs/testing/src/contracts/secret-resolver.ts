import assert from 'node:assert/strict';
import { referenceParts } from '#core/secrets';
import { createAbort } from '#machine';
import { SecretNotFound, type SecretPlace, type SecretResolver, SecretStoreAway } from '#ports';
import { within } from '../deadline.js';
import { testRunner } from './runner.js';

/** A resolver under test, and what it fetches from. */
export interface SecretResolverFixture {
  readonly resolver: SecretResolver;
  /** Whether its references have a key. */
  readonly hasKeys: boolean;
  /** Keeps a secret under a place of the resolver, in the place of an earlier one. */
  put(place: Pick<SecretPlace, 'key' | 'path'>, secret: string): Promise<void>;
  /** Has the store not answer from now on; absent: it is always there. */
  leave?(): Promise<void>;
  /** Has it answer again. */
  comeBack?(): Promise<void>;
  close(): Promise<void>;
}

type Body = (fixture: SecretResolverFixture) => Promise<void>;
type ResolverRule = (name: string, body: Body) => void;

const SECRET = 'first "secret" \\ of=Ü';
const OTHER = 'another-secret-2';

/** The contract of every resolver of secrets; an adapter's spec is a call of this. */
export function secretResolverContract(
  name: string,
  open: () => Promise<SecretResolverFixture>,
): void {
  const { describe, it } = testRunner();
  const rule: ResolverRule = (ruleName, body) =>
    it(ruleName, async () => {
      const fixture = await open();
      try {
        await body(fixture);
      } finally {
        await fixture.close();
      }
    });
  describe(`secret resolver contract: ${name}`, () => {
    describeSecrets(rule);
    describeTrouble(rule);
  });
}

function describeSecrets(rule: ResolverRule): void {
  rule('its name begins references', async ({ resolver }) => {
    assert.equal(referenceParts(`${resolver.name}:path`)?.resolver, resolver.name);
  });

  rule('a secret is given as it was kept', async (fixture) => {
    const place = placeIn(fixture);
    await fixture.put(place, SECRET);
    assert.equal(await fetched(fixture, place), SECRET);
  });

  rule('a secret is given as it is now', async (fixture) => {
    const place = placeIn(fixture);
    await fixture.put(place, SECRET);
    await fetched(fixture, place);
    await fixture.put(place, OTHER);
    assert.equal(await fetched(fixture, place), OTHER);
  });

  rule('many are given at once', async (fixture) => {
    const places = ['one', 'two', 'three'].map((path) => placeIn(fixture, path));
    for (const place of places) await fixture.put(place, `secret of ${place.path}`);
    const found = await Promise.all(places.map((place) => fetched(fixture, place)));
    assert.deepEqual(
      found,
      places.map(({ path }) => `secret of ${path}`),
    );
  });
}

function describeTrouble(rule: ResolverRule): void {
  rule('one that is not there is named, and no other one', async (fixture) => {
    await fixture.put(placeIn(fixture), SECRET);
    const missing = placeIn(fixture, 'missing');
    const error = await failure(fixture, missing);
    assert.equal(error.name, SecretNotFound.name);
    assert.ok(error.message.includes(missing.reference), error.message);
    assert.ok(!error.message.includes(SECRET), error.message);
  });

  rule('a key that is not there is no secret', async (fixture) => {
    const place = placeIn(fixture);
    await fixture.put(place, SECRET);
    const error = await failure(fixture, placeOf(fixture.resolver, place.path, 'missing'));
    assert.equal(error.name, SecretNotFound.name);
  });

  rule('names of what every object has are no secrets', async (fixture) => {
    await fixture.put(placeIn(fixture), SECRET);
    for (const name of ['constructor', '__proto__', 'toString']) {
      const key = fixture.hasKeys ? name : null;
      const path = fixture.hasKeys ? placeIn(fixture).path : name;
      const error = await failure(fixture, placeOf(fixture.resolver, path, key));
      assert.equal(error.name, SecretNotFound.name);
    }
  });

  rule('a store that is away is no missing secret, and is asked again', async (fixture) => {
    if (fixture.leave === undefined) return;
    const place = placeIn(fixture);
    await fixture.put(place, SECRET);
    await fixture.leave();
    const error = await failure(fixture, place);
    assert.equal(error.name, SecretStoreAway.name);
    await fixture.comeBack?.();
    assert.equal(await fetched(fixture, place), SECRET);
  });
}

/** A place with a key where the resolver has keys. */
function placeIn({ hasKeys, resolver }: SecretResolverFixture, name = 'SECRET_1'): SecretPlace {
  return placeOf(resolver, name, hasKeys ? 'password' : null);
}

function placeOf({ name }: SecretResolver, path: string, key: string | null): SecretPlace {
  return { reference: `${name}:${path}${key === null ? '' : `#${key}`}`, path, key };
}

function fetched({ resolver }: SecretResolverFixture, place: SecretPlace): Promise<unknown> {
  const { signal } = createAbort();
  return within(`${place.reference} is fetched`, resolver.resolve(place, signal));
}

function failure(fixture: SecretResolverFixture, place: SecretPlace): Promise<Error> {
  return fetched(fixture, place).then(
    () => assert.fail(`${place.reference} was given`),
    (error: unknown) => error as Error,
  );
}
