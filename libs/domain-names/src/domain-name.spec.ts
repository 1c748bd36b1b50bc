import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { domainToASCII } from 'node:url';
import { parseDomainName, type DomainNameRefusalCode } from './domain-name.js';
import { parseDnsName, parseHostName } from './host-name.js';

const label63 = 'a'.repeat(63);
const name253 = `${label63}.${label63}.${label63}.${'b'.repeat(57)}.com`;

/** Returns the bytes to send to a port-43 server for an input; undefined if the input is refused. */
function bytesSent(input: string): string | undefined {
  const parsed = parseDomainName(input);
  return parsed.ok ? `${parsed.domain.name}\r\n` : undefined;
}

describe('parseDomainName', () => {
  it.each([
    ['example.com', 'example.com', 'com', ''],
    ['  WWW.Example.COM. ', 'example.com', 'com', 'www'],
    ['https://user:secret@shop.example.co.uk:8443/a/b?c=d#e', 'example.co.uk', 'co.uk', 'shop'],
    ['//example.org\\@example.net', 'example.org', 'org', ''],
    ['example.com/path', 'example.com', 'com', ''],
    ['r1---a.example.com', 'example.com', 'com', 'r1---a'],
    ['example.com:443', 'example.com', 'com', ''],
    ['a.b.example.uk.com', 'example.uk.com', 'uk.com', 'a.b'],
    ['uk.com', 'uk.com', 'com', ''],
    ['www.eu.org', 'www.eu.org', 'eu.org', ''],
    ['pages.github.io', 'github.io', 'io', 'pages'],
    ['Straße.de', 'xn--strae-oqa.de', 'de', ''],
    ['例え。jp', 'xn--r8jz45g.jp', 'jp', ''],
    ['ｅｘａｍｐｌｅ．ｃｏｍ', 'example.com', 'com', ''],
    ['xn--mnchen-3ya.de', 'xn--mnchen-3ya.de', 'de', ''],
    ['example.xn--p1ai', 'example.xn--p1ai', 'xn--p1ai', ''],
    ['example.nosuchtld', 'example.nosuchtld', 'nosuchtld', ''],
    ['www.ck', 'www.ck', 'ck', ''],
    [name253, `${'b'.repeat(57)}.com`, 'com', `${label63}.${label63}.${label63}`],
  ])('%j is read as %s', (input, name, publicSuffix, subdomain) => {
    const tld = name.slice(name.lastIndexOf('.') + 1);
    const label = name.slice(0, name.indexOf('.'));
    expect(parseDomainName(input)).toMatchObject({
      ok: true,
      domain: { name, publicSuffix, subdomain, tld, label },
    });
  });

  it('a name is also returned in its displayed form', () => {
    expect(parseDomainName('www.xn--mnchen-3ya.de')).toMatchObject({
      domain: { unicode: 'münchen.de' },
    });
  });

  const refused: [string, DomainNameRefusalCode][] = [
    ['', 'empty'],
    ['   ', 'empty'],
    ['.', 'empty'],
    ['https:///path', 'empty'],
    ['exa\r\nmple.com', 'control_character'],
    ['example.com\r\nQUIT', 'control_character'],
    ['example.com\n', 'control_character'],
    ['\texample.com', 'control_character'],
    ['exam\0ple.com', 'control_character'],
    ['exam\u00adple.com', 'control_character'],
    ['\u202emoc.elpmaxe', 'control_character'],
    ['example\u200b.com', 'control_character'],
    ['example.com\u2028', 'control_character'],
    ['exam\u0085ple.com', 'control_character'],
    ['exa%0d%0ample.com', 'bad_character'],
    ['ex%41mple.com', 'bad_character'],
    ['person@example.com', 'email_address'],
    ['mailto:person@example.com', 'email_address'],
    ['a_b.com', 'bad_character'],
    ['_dmarc.example.com', 'bad_character'],
    ['exa mple.com', 'bad_character'],
    ['*.example.com', 'bad_character'],
    ["exam'ple.com", 'bad_character'],
    ['a..com', 'empty_label'],
    ['.example.com', 'empty_label'],
    ['example.com..', 'empty_label'],
    ['-a.com', 'bad_hyphen'],
    ['a-.com', 'bad_hyphen'],
    ['ab--cd.com', 'bad_hyphen'],
    ['www.ab--cd.co.uk', 'bad_hyphen'],
    ['xn--a.com', 'bad_idn'],
    ['xn--example-.com', 'bad_hyphen'],
    ['xn--MNCHEN-3YA0000.de', 'bad_idn'],
    ['example.123', 'numeric_tld'],
    ['1.2.3.4.5', 'numeric_tld'],
    ['999.999.999.999', 'numeric_tld'],
    ['com', 'public_suffix'],
    ['co.uk', 'public_suffix'],
    ['anything.ck', 'public_suffix'],
    ['localhost', 'public_suffix'],
  ];
  it.each(refused)('S61: %j is rejected as %s', (input, code) => {
    expect(parseDomainName(input)).toEqual({ ok: false, code, message: expect.any(String) });
  });

  const tooLong: [string, DomainNameRefusalCode][] = [
    [`${'a'.repeat(64)}.com`, 'label_too_long'],
    [`a${name253}`, 'too_long'],
    [`a.${name253}`, 'too_long'],
    [`${'ü'.repeat(60)}.de`, 'label_too_long'],
    ['a'.repeat(300), 'too_long'],
    ['a.'.repeat(500_000), 'too_long'],
  ];
  it.each(tooLong)(
    'S62: labels of more than 63 characters and names of more than 253 are rejected (%#)',
    (input, code) => {
      expect(parseDomainName(input)).toMatchObject({ ok: false, code });
    },
  );

  it.each([
    '127.1',
    '127.0.0.1',
    '::1',
    '[::1]',
    'https://[2001:db8::1]/',
    '2001:db8::1',
    '0x7f.1',
  ])('S62: the address %s is refused as a domain name', (input) => {
    expect(parseDomainName(input)).toMatchObject({ ok: false, code: 'ip_address' });
  });

  it.each([
    '0x7f000001',
    '2130706433',
    '127.1',
    '0177.0.0.1',
    '0x7f.0x0.0x0.0x1',
    '017700000001',
    '127.0.1',
    '１２７.0.0.1',
    '127。0。0。1',
    'http://0x7f.1:80/',
    '127.0.0.1.',
    '0',
  ])('S56: %s, an address in an odd form, is refused', (input) => {
    expect(parseDomainName(input)).toMatchObject({ ok: false, code: 'ip_address' });
  });

  it('a rejection does not repeat the input', () => {
    for (const [input] of refused.filter(([text]) => text.trim().length > 3)) {
      expect(JSON.stringify(parseDomainName(input))).not.toContain(
        JSON.stringify(input).slice(1, -1),
      );
    }
  });
});

describe('parseHostName', () => {
  it.each(['_dmarc.example.com\n', '\t_dmarc.example.com', '\r\nexample.com'])(
    'control characters around a host name are rejected, as those around a domain name are: %j',
    (input) => {
      expect(parseHostName(input)).toMatchObject({ ok: false, code: 'control_character' });
    },
  );

  it.each([
    '_443._tcp.mail.example.com',
    's1._domainkey.example.com',
    'example.org._report._dmarc.example.com',
  ])('labels above a service label are kept: %s', (host) => {
    expect(parseHostName(host)).toMatchObject({
      ok: true,
      hostName: { host, domain: { name: 'example.com' } },
    });
  });

  it.each(['a_b.example.com', 'a._.example.com', 's1._domainkey.com', 'a..b._dmarc.example.com'])(
    'other underscores and empty labels are rejected: %s',
    (host) => {
      expect(parseHostName(host).ok).toBe(false);
    },
  );

  it('the underscore counts towards the 63 characters of a label', () => {
    const hostOf = (length: number) => `_${'a'.repeat(length)}.example.com`;
    expect(parseHostName(hostOf(62)).ok).toBe(true);
    expect(parseHostName(hostOf(63)).ok).toBe(false);
  });

  it('public suffixes of several labels also have DNS records', () => {
    const dnsNames = {
      'GOV.UK.': 'gov.uk',
      '_dmarc.gov.uk': '_dmarc.gov.uk',
      'a.co.uk': 'a.co.uk',
    };
    for (const [input, host] of Object.entries(dnsNames)) {
      expect(parseDnsName(input)).toEqual({ ok: true, host, tld: 'uk' });
    }
    for (const input of ['uk', '.gov.uk', 'gov.uk\n', '1.2', `${'a.'.repeat(126)}gov.uk`]) {
      expect([input, parseDnsName(input).ok]).toEqual([input, false]);
    }
  });

  it('spaces around a host name are ignored', () => {
    expect(parseHostName('  _dmarc.Example.com ')).toMatchObject({
      ok: true,
      hostName: { host: '_dmarc.example.com' },
    });
  });
});

// Not the unit 'binary', which takes 140 MB for a table of all characters.
const character = fc.nat(0x10ffff).map((point) => String.fromCodePoint(point));

describe('queries to a registry', () => {
  const nearDomain = fc
    .array(
      fc.oneof(
        fc.constantFrom('example', '.', '.com', 'xn--', '\r\n', '\0', 'QUIT', '-', '_', ' ', '@'),
        fc.constantFrom('%0d%0a', '。', '\u00ad', '\u200d', '/', '0x7f', '127', 'ß', 'co.uk', ':'),
        fc.string({ unit: character, maxLength: 4 }),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(''));

  it('S61: a query consists only of letters, digits, dots and hyphens, and one line end', () => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.oneof(nearDomain, fc.string({ unit: character }), fc.domain()), (input) => {
        const bytes = bytesSent(input);
        if (bytes === undefined) return;
        accepted += 1;
        expect(bytes).toMatch(/^[a-z0-9.-]{1,253}\r\n$/);
        expect(input).not.toMatch(/\p{Cc}/u);
      }),
      { numRuns: 2_000, seed: 20_261_122 },
    );
    expect(accepted).toBeGreaterThan(400);
  });

  it('S62: the fast path for plain names gives the same result as the full path', () => {
    const plain = fc.string({ unit: fc.constantFrom(...'abXN01-.'), maxLength: 16 });
    fc.assert(
      fc.property(fc.oneof(plain, fc.domain()), (host) => {
        const parsed = parseDomainName(host);
        if (!parsed.ok) return;
        const { name, subdomain } = parsed.domain;
        const whole = subdomain === '' ? name : `${subdomain}.${name}`;
        expect(whole).toBe(domainToASCII(host).replace(/\.$/, ''));
      }),
      { numRuns: 500, seed: 20_261_122 },
    );
  });

  it('S61: parsing an accepted name returns the same name', () => {
    fc.assert(
      fc.property(fc.oneof(nearDomain, fc.domain()), (input) => {
        const parsed = parseDomainName(input);
        if (!parsed.ok) return;
        const { name, unicode } = parsed.domain;
        expect(parseDomainName(name)).toMatchObject({ ok: true, domain: { name, subdomain: '' } });
        expect(parseDomainName(unicode)).toMatchObject({ ok: true, domain: { name } });
      }),
      { numRuns: 500, seed: 20_261_122 },
    );
  });
});
