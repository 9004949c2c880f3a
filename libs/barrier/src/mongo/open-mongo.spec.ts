import { expect, it } from '@jest/globals';
import { MongoServerError } from 'mongodb';
import { StoreUnavailable } from '#ports';
import { orUnavailable } from './open-mongo.js';

const refused = (code: number): Promise<never> =>
  orUnavailable(Promise.reject(new MongoServerError({ message: 'no', code })));

it.each([
  ['no primary', 10_107],
  ['not readable', 13_435],
  ['interrupted by a step-down', 11_602],
  ['stepped down', 189],
  ['too few members', 100],
  ['a login that is refused', 18],
  ['a full disk', 14_031],
])('a server in trouble is waited for: %s (%i)', async (_, code) => {
  await expect(refused(code)).rejects.toThrow(StoreUnavailable);
});

it.each([
  ['a right that an effect lacks', 13],
  ['a document that is refused', 121],
])('what an effect asked for in vain is its own failure: %s (%i)', async (_, code) => {
  await expect(refused(code)).rejects.toThrow(MongoServerError);
});
