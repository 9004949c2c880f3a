import { describe, expect, it } from '@jest/globals';
import { MongoNetworkError, MongoServerError } from 'mongodb';
import { StoreUnavailable } from '#ports';
import { OperationTimeout } from './deadline.js';
import { asStoreError } from './failure.js';
import { Secret } from './secret.js';

const secret = new Secret('mongodb://ann:gehe1m%21@h1:27017,h2/db');

describe('an error of the driver', () => {
  it('leaves as StoreUnavailable with its cause', () => {
    const causes = [
      new MongoNetworkError('closed'),
      new MongoServerError({ message: 'not primary', code: 10_107 }),
      new OperationTimeout('late'),
      Object.assign(new Error('ENOTFOUND'), { syscall: 'getaddrinfo' }),
    ];
    for (const cause of causes) {
      const error = asStoreError(cause, 'a write', secret);
      expect(error).toBeInstanceOf(StoreUnavailable);
      expect(error.cause).toBe(cause);
      expect(error.message).toBe(`MongoDB, a write: ${cause.message}`);
    }
  });

  it('leaves as it is where the fault is on this side', () => {
    const refused = new MongoServerError({ message: 'unknown operator', code: 2 });
    for (const fault of [new TypeError('x'), refused]) {
      expect(asStoreError(fault, 'a write', secret)).toBe(fault);
    }
  });

  it('never shows the password, in whatever form and however deep', () => {
    for (const form of ['gehe1m%21', 'gehe1m!']) {
      const cause = new MongoNetworkError('closed', { cause: new Error(`as ann:${form}`) });
      cause.message = `cannot log in with ${form}`;
      const error = asStoreError(cause, 'a ping', secret);
      expect(error.message).toBe('MongoDB, a ping: cannot log in with ***');
      expect(error.cause).toBeUndefined();
    }
  });
});

describe('a URL without a password', () => {
  it('has nothing to hide', () => {
    for (const url of ['mongodb://h/db', 'mongodb://ann@h/db', 'mongodb+srv://h', 'x']) {
      expect(new Secret(url).mask('ann at h')).toBe('ann at h');
    }
  });
});
