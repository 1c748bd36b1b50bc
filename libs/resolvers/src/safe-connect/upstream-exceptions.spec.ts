import { describe, expect, it } from '@jest/globals';
import { exceptionFor, parseUpstreamExceptions } from './upstream-exceptions.js';

const listed = parseUpstreamExceptions(
  'whois.closed.example:43=127.0.0.1:1,*.example:43=127.0.0.1:2,*:43=127.0.0.1:3,*:443=[::1]:4',
);
const exceptions = new Map(listed.map((entry) => [`${entry.host}:${entry.port}`, entry]));

describe('upstream exceptions with wildcards', () => {
  it.each([
    ['whois.closed.example', 43, 1],
    ['whois.registrar.example', 43, 2],
    ['a.b.c.example', 43, 2],
    ['example', 43, 3],
    ['whois.nic.org', 43, 3],
    ['rdap.nic.org', 443, 4],
  ])('send %s:%s to the address of the closest match', (name, port, addressPort) => {
    expect(exceptionFor(exceptions, name, port)?.addressPort).toBe(addressPort);
  });

  it.each([
    ['10.0.0.1', 43],
    ['127.0.0.1', 443],
    ['::1', 43],
    ['whois.nic.org', 6379],
  ])('S54: exceptions with wildcards never cover %s:%s', (name, port) => {
    expect(exceptionFor(exceptions, name, port)).toBeUndefined();
  });
});
