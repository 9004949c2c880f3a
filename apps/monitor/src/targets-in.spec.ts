import { describe, expect, it } from '@jest/globals';
import { checkedEndpoint } from './targets-in.js';

describe('an endpoint', () => {
  it.each([
    ['db-1.sandbox.invalid:3306', 'db-1.sandbox.invalid:3306'],
    ['DB.Example', 'db.example'],
    ['127.0.0.1:03306', '127.0.0.1:3306'],
    ['10.1.2.3', '10.1.2.3'],
    ['[2001:db8::1]:9104', '[2001:db8::1]:9104'],
    ['h_1:1', 'h_1:1'],
  ])('is %s, written %s', (text, written) => {
    expect(checkedEndpoint(text)).toBe(written);
  });

  it.each([
    '',
    'a/b',
    'a b',
    'h:0',
    'h:65536',
    'h:',
    ':1',
    'user@h:1',
    'h:1:2',
    '[::1',
    '1.2.3.4.5',
  ])('is not %j', (text) => expect(checkedEndpoint(text)).toBeNull());

  it.each([
    ...['169.254.169.254:80', '169.254.0.1', '2852039166', '0xA9FEA9FE:80', '0251.0376.0251.0376'],
    ...['169.254.43518:80', '169.254.169.254.:80', '[::ffff:169.254.169.254]:80', '[fe80::1]:80'],
    ...['[64:ff9b::169.254.169.254]', '[fd00:ec2::254]:80', '100.100.100.200', '168.63.129.16:80'],
    ...['192.0.0.192', '[::ffff:168.63.129.16]', '[64:ff9b::a83f:8110]', '[::a9fe:a9fe]'],
    ...['[2002:a9fe:a9fe::]:80', '[2001::1]', '[64:ff9b:1::a9fe:a9fe]', '[fd20:ce::254]'],
    ...['0.0.0.0:80', '0', '[::]:80', '224.0.0.1', '255.255.255.255', '[ff02::1]'],
    ...[
      'metadata',
      'metadata.google.internal:80',
      'METADATA.google.internal.',
      'metadata.internal',
    ],
  ])('never leads to a metadata service or a neighbour: %s', (text) => {
    expect(checkedEndpoint(text)).toBeNull();
  });
});
