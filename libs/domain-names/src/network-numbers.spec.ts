import { describe, expect, it } from '@jest/globals';
import { parseAsn } from './asn.js';
import { blockListOf, isAddressBlock } from './address-block.js';
import { parseCidr } from './cidr.js';
import { parseIpAddress } from './ip-address.js';

describe('parseIpAddress', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1', 4],
    [' 192.0.2.255 ', '192.0.2.255', 4],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1', 6],
    ['::', '::', 6],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.1', 6],
  ])('%s is read as %s', (input, address, version) => {
    expect(parseIpAddress(input)).toEqual({ ok: true, ip: { address, version } });
  });

  it.each(['0x7f000001', '2130706433', '127.1', '0177.0.0.1', '127.0.0.01', '1.2.3', '1.2.3.4.5'])(
    'S56: %s is not accepted as an address',
    (input) => {
      expect(parseIpAddress(input)).toMatchObject({ ok: false, code: 'not_an_ip_address' });
    },
  );

  it.each(['', 'fe80::1%eth0', '[::1]', '192.0.2.1\n', '192.0.2.1/32', 'example.com', ':::'])(
    '%j is rejected',
    (input) => {
      expect(parseIpAddress(input)).toMatchObject({ ok: false });
    },
  );
});

describe('parseCidr', () => {
  it.each([
    ['192.0.2.0/24', '192.0.2.0', 24],
    ['192.0.2.255/25', '192.0.2.128', 25],
    ['203.0.113.9/0', '0.0.0.0', 0],
    ['203.0.113.9/32', '203.0.113.9', 32],
    ['2001:db8:ffff::1/33', '2001:db8:8000::', 33],
    ['2001:db8::1/128', '2001:db8::1', 128],
    ['ffff::/3', 'e000::', 3],
  ])('%s is read as the block from %s', (input, address, prefixLength) => {
    expect(parseCidr(input)).toMatchObject({ ok: true, cidr: { address, prefixLength } });
  });

  it.each([
    ['', 'empty'],
    ['192.0.2.0', 'not_a_cidr'],
    ['127.1/8', 'not_a_cidr'],
    ['example.com/24', 'not_a_cidr'],
    ['192.0.2.0/33', 'bad_prefix'],
    ['192.0.2.0/', 'bad_prefix'],
    ['192.0.2.0/08', 'bad_prefix'],
    ['192.0.2.0/-1', 'bad_prefix'],
    ['2001:db8::/129', 'bad_prefix'],
  ])('%j is refused as %s', (input, code) => {
    expect(parseCidr(input)).toMatchObject({ ok: false, code });
  });
});

describe('address blocks', () => {
  it.each([
    ['192.0.2.1', true],
    ['192.0.2.0/24', true],
    ['2001:db8::/32', true],
    ['::1', true],
    ['192.0.2.0/33', false],
    ['192.0.2.0/024', false],
    ['192.0.2.0/', false],
    ['192.0.2.0/24/1', false],
    ['fe80::1%eth0', false],
    ['192.0.2', false],
    ['', false],
    [' 192.0.2.1', false],
    ['192.0.2.0/24 ', false],
    [5, false],
  ])('S14: %p is a valid entry of an allow-list: %p', (value, isAllowed) => {
    expect(isAddressBlock(value)).toBe(isAllowed);
  });

  it('S14: a list contains the addresses of its blocks; an invalid entry adds none', () => {
    const list = blockListOf(['192.0.2.200/25', '203.0.113.7', '2001:db8::/33', '192.0.2', 'any']);
    const isHeld = (address: string) =>
      list.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
    const held = ['192.0.2.128', '192.0.2.255', '203.0.113.7', '2001:db8:7fff::1'];
    const others = ['192.0.2.127', '203.0.113.8', '2001:db8:8000::', '198.51.100.1'];
    expect([...held, '::ffff:192.0.2.200'].map(isHeld)).toEqual([...held, ''].map(() => true));
    expect(others.map(isHeld)).toEqual(others.map(() => false));
  });
});

describe('parseAsn', () => {
  it.each([
    ['AS64496', 64496],
    ['as64496', 64496],
    [' 64496 ', 64496],
    ['0', 0],
    ['AS4294967295', 4294967295],
  ])('%s is read as %d', (input, asn) => {
    expect(parseAsn(input)).toEqual({ ok: true, asn });
  });

  it.each(['', 'AS', 'AS-1', 'AS4294967296', 'AS1.10', 'AS 1', '0x10', '064496', '1e3', 'AS1\n'])(
    '%j is rejected',
    (input) => {
      expect(parseAsn(input)).toMatchObject({ ok: false });
    },
  );
});
