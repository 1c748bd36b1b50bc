import { describe, expect, it } from '@jest/globals';
import { readHostNames } from './host-names.js';
import { readStatuses } from './statuses.js';

describe('statuses', () => {
  it.each([
    [
      'clientTransferProhibited https://icann.org/epp#clientTransferProhibited',
      ['clientTransferProhibited'],
    ],
    ['CLIENT DELETE PROHIBITED', ['clientDeleteProhibited']],
    ['client_update_prohibited', ['clientUpdateProhibited']],
    ['clientupdateprohibited', ['clientUpdateProhibited']],
    ['serverDeleteProhibited (Protected by a lock)', ['serverDeleteProhibited']],
    ['ok - Normal state.', ['ok']],
    ['Active, clientUpdateProhibited', ['Active', 'clientUpdateProhibited']],
    ['REGISTERED, DELEGATED, VERIFIED', ['REGISTERED', 'DELEGATED', 'VERIFIED']],
    ['Deletion forbidden', ['Deletion forbidden']],
    ['OK-UNTIL 20260131000000', ['ok']],
    ['clientHold serverHold', ['clientHold', 'serverHold']],
    ['ok to transfer', ['ok to transfer']],
    ['-', []],
  ])('in %j, EPP names become camelCase, and other words stay as printed', (text, statuses) => {
    expect(readStatuses(text)).toEqual(statuses);
  });
});

describe('name servers', () => {
  it.each([
    ['NS1.EXAMPLE.NET.', ['ns1.example.net']],
    ['ns1.example.net 192.0.2.1 2001:db8::1', ['ns1.example.net']],
    ['ns1.example.net (192.0.2.1)', ['ns1.example.net']],
    ['ns1.example.net [OK]', ['ns1.example.net']],
    ['1. ns1.example.net', ['ns1.example.net']],
    ['- ns1.example.net', ['ns1.example.net']],
    ['example.pt\tNS\tns1.example.net.', ['ns1.example.net']],
    ['ns1.example.net, ns2.example.net', ['ns1.example.net', 'ns2.example.net']],
    ['ns1.example.net. not.defined.', ['ns1.example.net']],
    ['ns1.xn--bcher-kva.example', ['ns1.xn--bcher-kva.example']],
    ['192.0.2.1', []],
    ['not.defined. not.defined.', []],
    ['More may be consulted at www.registrar.example', []],
    ['no nameserver', []],
  ])('are read in %j without addresses or remarks', (text, hosts) => {
    expect(readHostNames(text)).toEqual(hosts);
  });
});
