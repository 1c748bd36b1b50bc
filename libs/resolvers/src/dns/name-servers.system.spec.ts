import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NameServers, nameServerAvailability } from '#test/environment';
import { DnsClient } from './dns-client.js';
import type { DnsType } from './dns-record.js';
import { lookUpDns } from './domain-dns.js';
import { recordText } from './record-text.js';

const OPTIONS = { timeoutMs: 5_000 };
const SOA =
  '@ 3600 IN SOA ns1 hostmaster 2026112201 7200 3600 1209600 300\n@ 3600 IN NS ns1\nns1 A 192.0.2.53\n';
const LONG = Array.from({ length: 20 }, (_, i) => `"${'x'.repeat(200)}${i}"`).join(' ');

const ZONE = `$ORIGIN zone.example.
${SOA}
@ 300 IN A 192.0.2.1
@ 300 IN A 192.0.2.2
@ 300 IN AAAA 2001:db8::1
@ 300 IN AAAA 2001:db8:0:0:1::
@ 600 IN MX 10 mail
@ 600 IN MX 0 .
@ 900 IN TXT "v=spf1 ip4:192.0.2.0/24 -all"
@ 900 IN TXT "v=spf1 ~all"
@ 900 IN TXT "v=spf10 is not one"
@ 900 IN TXT "two " "strings with \\"quotes\\" and \\\\"
@ 900 IN TXT "z\\195\\188rich \\127"
@ 900 IN TYPE99 \\# 12 0b763d73706631202d616c6c
@ 60 IN CAA 0 issue "ca.example; account=1"
@ 60 IN CAA 128 iodef "mailto:ops@zone.example"
mail A 192.0.2.25
huge TXT ${LONG}
alias1 CNAME alias2
alias2 CNAME alias3
alias3 CNAME @
loop1 CNAME loop2
loop2 CNAME loop1
*.wild A 192.0.2.99
odd\\.label A 192.0.2.77
`;
const SIGNED = `$ORIGIN signed.example.\n${SOA}@ A 192.0.2.9\n`;
const REVERSE = `$ORIGIN 2.0.192.in-addr.arpa.\n@ 3600 IN SOA ns1.zone.example. host.zone.example. 1 2 3 4 5\n@ NS ns1.zone.example.\n1 PTR zone.example.\n1 PTR www.zone.example.\n`;
const TYPES: DnsType[] = ['A', 'AAAA', 'NS', 'MX', 'TXT', 'SOA', 'CAA', 'CNAME'];

const here = nameServerAvailability() === undefined ? describe : describe.skip;

here('compared with dig at a real name server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dds-dns-'));
  let servers: NameServers;
  let direct: DnsClient;
  let resolving: DnsClient;

  beforeAll(async () => {
    servers = await NameServers.start({
      folder,
      zones: {
        'zone.example': ZONE,
        'signed.example': SIGNED,
        '2.0.192.in-addr.arpa': REVERSE,
      },
      signed: ['signed.example'],
      lame: ['lame.example'],
    });
    direct = new DnsClient({ servers: [servers.authoritative] });
    resolving = new DnsClient({ servers: [servers.resolver] });
  });

  afterAll(async () => {
    direct?.close();
    resolving?.close();
    await servers?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Returns the answer section as printed by dig, one record per line. */
  function dig(name: string, type: string): string[] {
    const port = servers.authoritative.split(':')[1];
    const words = ['@127.0.0.1', '-p', port, '+noall', '+answer', '+norecurse', name, type];
    const lines = execFileSync('dig', words).toString().trim().split('\n');
    return lines.filter((line) => line !== '').map((line) => line.replace(/[\t ]+/g, ' '));
  }

  it.each(TYPES)('%s records are exactly those that dig shows', async (type) => {
    const { answers } = await direct.ask('zone.example', type, OPTIONS);
    const ours = answers.map((record) => recordText(record).replace(/[\t ]+/g, ' '));
    expect(ours.sort()).toEqual(dig('zone.example', type).sort());
  });

  it.each([
    'alias1.zone.example',
    'any.wild.zone.example',
    'mail.zone.example',
    'none.zone.example',
  ])('the answer for %s is the same as dig’s', async (name) => {
    const { answers } = await direct.ask(name, 'A', OPTIONS);
    const ours = answers.map((record) => recordText(record).replace(/[\t ]+/g, ' '));
    expect(ours.sort()).toEqual(dig(name, 'A').sort());
  });

  it('an answer that does not fit into a packet arrives over TCP', async () => {
    const answer = await direct.ask('huge.zone.example', 'TXT', OPTIONS);
    expect(answer.protocol).toBe('tcp');
    expect(answer.answers.map((record) => recordText(record).replace(/[\t ]+/g, ' '))).toEqual(
      dig('huge.zone.example', 'TXT'),
    );
  });

  it('SPF answers contain the policies in TXT records, and the records of the retired type', async () => {
    const { records } = await lookUpDns(direct, 'zone.example', ['SPF'], OPTIONS);
    expect(records.map((record) => 'strings' in record && record.strings.join('')).sort()).toEqual([
      'v=spf1 -all',
      'v=spf1 ip4:192.0.2.0/24 -all',
      'v=spf1 ~all',
    ]);
  });

  it('addresses resolve to their names', async () => {
    const { records } = await lookUpDns(resolving, '1.2.0.192.in-addr.arpa', ['PTR'], OPTIONS);
    expect(records.map((record) => 'target' in record && record.target).sort()).toEqual([
      'www.zone.example',
      'zone.example',
    ]);
  });

  it('a signed answer is marked as signed, and an unsigned one is not', async () => {
    expect(await lookUpDns(resolving, 'signed.example', ['A'], OPTIONS)).toMatchObject({
      isAuthenticated: true,
      records: [{ address: '192.0.2.9' }],
    });
    const unsigned = await lookUpDns(resolving, 'zone.example', ['A'], OPTIONS);
    expect([unsigned.isAuthenticated, unsigned.records.length]).toEqual([false, 2]);
  });

  it('a name that does not exist, a failing server and a loop of aliases are distinguished', async () => {
    const ask = (name: string) => lookUpDns(resolving, name, ['A', 'MX'], OPTIONS);
    expect(await ask('none.zone.example')).toMatchObject({ rcode: 'nxdomain', errors: {} });
    expect(await ask('lame.example')).toMatchObject({
      rcode: undefined,
      errors: { A: 'servfail', MX: 'servfail' },
    });
    const loop = await ask('loop1.zone.example');
    expect(['servfail', 'cname_loop']).toContain(loop.errors.A);
    const chain = await ask('alias1.zone.example');
    expect([chain.errors, chain.records.filter(({ type }) => type === 'A').length]).toEqual([
      {},
      2,
    ]);
  });
});
