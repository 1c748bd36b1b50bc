import { describe, expect, it } from '@jest/globals';
import { type KeyRights, excessOf } from './key-rights.js';

const OWN: KeyRights = {
  scopes: ['whois', 'dns', 'keys:write'],
  allowedAddresses: [],
  expiresAt: null,
};
const BOUND: KeyRights = { ...OWN, allowedAddresses: ['192.0.2.0/24', '2001:db8::1'] };
const UPPER: KeyRights = { ...OWN, allowedAddresses: ['192.0.3.0/24'] };
const HOLED: KeyRights = { ...OWN, allowedAddresses: ['192.0.2.0/26', '192.0.2.192/26'] };
const ENDING: KeyRights = { ...OWN, expiresAt: new Date('2027-01-01T00:00:00Z') };

describe('the rights of two keys', () => {
  it.each<[string, KeyRights, Partial<KeyRights>, string | undefined]>([
    ['equal rights', OWN, {}, undefined],
    ['fewer scopes', OWN, { scopes: ['dns'] }, undefined],
    ['a further scope', OWN, { scopes: ['dns', 'files'] }, 'it lacks the scopes files'],
    ['fewer addresses', OWN, { allowedAddresses: ['203.0.113.7'] }, undefined],
    ['part of a block', BOUND, { allowedAddresses: ['192.0.2.128/25', '2001:db8::1'] }, undefined],
    ['a larger block', BOUND, { allowedAddresses: ['192.0.2.0/23'] }, 'it is allowed only from'],
    [
      'a block with a later end',
      BOUND,
      { allowedAddresses: ['192.0.2.255/16'] },
      'it is allowed only from',
    ],
    [
      'a block with an earlier begin',
      UPPER,
      { allowedAddresses: ['192.0.2.0/23'] },
      'it is allowed only from',
    ],
    [
      'two blocks of which one is larger',
      BOUND,
      { allowedAddresses: ['192.0.2.0/25', '192.0.2.0/23'] },
      'it is allowed only from',
    ],
    [
      'a block with a hole',
      HOLED,
      { allowedAddresses: ['192.0.2.0/24'] },
      'it is allowed only from',
    ],
    ['the same block in IPv6', BOUND, { allowedAddresses: ['::ffff:192.0.2.0/120'] }, undefined],
    [
      'every IPv4 address in IPv6',
      BOUND,
      { allowedAddresses: ['::ffff:0:0/96'] },
      'it is allowed only from',
    ],
    ['text that is no address', BOUND, { allowedAddresses: ['?'] }, 'it is allowed only from'],
    ['every IPv6 address', BOUND, { allowedAddresses: ['::/0'] }, 'it is allowed only from'],
    ['every address', BOUND, { allowedAddresses: [] }, 'it is allowed only from'],
    ['an earlier expiry', ENDING, { expiresAt: new Date('2026-12-01T00:00:00Z') }, undefined],
    [
      'a later expiry',
      ENDING,
      { expiresAt: new Date('2027-01-01T00:00:01Z') },
      'it expires at 2027',
    ],
    ['no expiry', ENDING, { expiresAt: null }, 'it expires at 2027'],
  ])(
    'S131: compared with the key’s own rights, %s are judged correctly',
    (_, own, wanted, excess) => {
      const found = excessOf(own, { ...own, ...wanted });
      expect(found).toEqual(excess === undefined ? undefined : expect.stringContaining(excess));
    },
  );
});
