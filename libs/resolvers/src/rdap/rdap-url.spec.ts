import { describe, expect, it } from '@jest/globals';
import { rdapUrl } from './rdap-url.js';

describe('rdapUrl', () => {
  it('accepts https URLs of named hosts, with or without port 443', () => {
    expect(rdapUrl('https://rdap.nic.example:443/x#y')?.href).toBe('https://rdap.nic.example/x');
    expect(rdapUrl('domain/a', new URL('https://rdap.nic.example/v1/'))?.pathname).toBe(
      '/v1/domain/a',
    );
  });

  it('S56: a host that is an address in an unusual form is rejected', () => {
    for (const host of ['0x7f000001', '2130706433', '127.1', '0177.0.0.1', '127.0.0.1.']) {
      expect(rdapUrl(`https://${host}/`)).toBeUndefined();
    }
  });
});
