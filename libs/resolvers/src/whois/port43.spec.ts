import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Socket } from 'node:net';
import { parseDomainName } from '#libs/domain-names';
import { withEnoughTime } from '#test/environment';
import { LoopbackInternet } from '../loopback-internet.contract.js';
import { decodeAnswer } from './decoding.js';
import { Port43Client, type Port43Limits } from './port43.js';
import { queryLine } from './query-forms.js';
import { referralHost } from './referral-host.js';

// Not the unit 'binary', which takes 140 MB for a table of all characters.
const character = fc.nat(0x10ffff).map((point) => String.fromCodePoint(point));
const host = 'whois.nic.example';
let internet: LoopbackInternet;
beforeEach(() => void (internet = new LoopbackInternet()));
afterEach(() => internet.close());

/** The time limits are long, so that a busy machine does not matter; tests of a limit set their own. */
const patient = { connectMs: 60_000, firstByteMs: 60_000, wholeMs: 60_000 };

function ask(limits: Partial<Port43Limits> = {}, signal?: AbortSignal) {
  const client = new Port43Client(internet.connector(), { ...patient, ...limits });
  return client.ask(host, 'a.example', signal);
}

describe('Port43Client', () => {
  it('S61: the text that arrives on port 43 is one line with a name and nothing else', async () => {
    await internet.whois(host, 'Domain Name: a.example\r\n');
    const client = new Port43Client(internet.connector(), patient);
    for (const input of ['A.Example', 'exa\r\nmple.com', 'münchen.de', 'a.example\r\nQUIT']) {
      const parsed = parseDomainName(input);
      if (parsed.ok) await client.ask(host, parsed.domain.name);
    }
    expect(internet.asked).toEqual([`${host} a.example\r\n`, `${host} xn--mnchen-3ya.de\r\n`]);
  });

  it('a character that arrives in two parts is joined', async () => {
    await internet.whois(host, (socket) => {
      const bytes = Buffer.from('Name: Zoë Example\n');
      socket.write(bytes.subarray(0, 9), () => socket.end(bytes.subarray(9)));
    });
    expect(await ask()).toEqual({ text: 'Name: Zoë Example\n' });
  });

  it('S63: an answer is cut off at 256 KiB, and the connection is closed', async () => {
    let server: Socket | undefined;
    await internet.whois(host, (socket) => {
      server = socket;
      const pump = () => {
        while (!socket.destroyed && socket.write('x'.repeat(16_384)));
      };
      socket.on('drain', pump);
      pump();
    });
    const { text, cut } = await ask();
    expect(text).toHaveLength(256 * 1024);
    expect(cut).toBe('size_cap');
    await new Promise((closed) => (server?.destroyed ? closed(null) : server?.on('close', closed)));
  });

  it('S63: a server that sends bytes slowly without end is abandoned when the time limit has passed', async () => {
    await internet.whois(host, (socket) => {
      const timer = setInterval(() => socket.write('% drip\n'), 10);
      socket.on('close', () => clearInterval(timer));
    });
    const { text, cut } = await withEnoughTime(
      150,
      (wholeMs) => ask({ wholeMs }).catch(() => ({ text: '', cut: undefined })),
      (answer) => answer.text === '',
    );
    expect(cut).toBe('answer_timeout');
    expect(text).toMatch(/^(% drip\n)+$/);
  });

  it('S63: a silent server is abandoned when the time limit for the first byte has passed', async () => {
    await internet.whois(host, () => undefined);
    await expect(ask({ firstByteMs: 50 })).rejects.toMatchObject({ fault: 'first_byte_timeout' });
  });

  it('S63: by default, connecting takes at most 5 s, the first byte 8 s, and the answer 15 s and 256 KiB', () => {
    expect(new Port43Client(internet.connector())).toMatchObject({
      limits: { connectMs: 5_000, firstByteMs: 8_000, wholeMs: 15_000, sizeBytes: 262_144 },
    });
  });

  it('a truncated answer is marked as such, and a missing answer is a fault', async () => {
    await internet.whois(host, (socket) => {
      socket.write('Domain Name: a.exa', () => setImmediate(() => socket.resetAndDestroy()));
    });
    const answer = await ask().catch((error: unknown) => error);
    // The reset may overtake the text that was sent before it.
    expect([{ text: 'Domain Name: a.exa', cut: 'reset' }, { fault: 'reset' }]).toContainEqual(
      answer instanceof Error ? { fault: (answer as Error & { fault: string }).fault } : answer,
    );
  });

  it.each<[string, (socket: Socket) => void]>([
    ['closes without an answer', (socket) => socket.end()],
    ['resets the connection', (socket) => socket.resetAndDestroy()],
  ])('a server that %s causes a fault', async (_what, answer) => {
    await internet.whois(host, answer);
    await expect(ask()).rejects.toMatchObject({ fault: 'reset' });
  });

  it('a cancelled query closes its connection', async () => {
    const controller = new AbortController();
    const { promise: closed, resolve } = Promise.withResolvers<unknown>();
    await internet.whois(host, (socket) => {
      socket.on('close', resolve);
      controller.abort();
    });
    await expect(ask({}, controller.signal)).rejects.toMatchObject({ fault: 'cancelled' });
    await closed;
  });
});

describe('queryLine', () => {
  it.each([
    ['whois.nic.example', 'a.example\r\n'],
    ['whois.denic.de', '-T dn,ace a.example\r\n'],
    ['whois.jprs.jp', 'a.example/e\r\n'],
    ['whois.punktum.dk', '--show-handles a.example\r\n'],
    ['whois.verisign-grs.com', 'domain a.example\r\n'],
    ['tvwhois.verisign-grs.com', 'domain a.example\r\n'],
  ])('%s is queried in its own format', (server, line) => {
    expect(queryLine(server, 'a.example')).toBe(line);
  });

  it('S61: any input becomes one line with a name, or is rejected', () => {
    const nameLike = fc.string({ unit: fc.constantFrom(...'ab.-_ \r\n\0/=é'), maxLength: 20 });
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: character }), nameLike, fc.domain()), (input) => {
        let line: string;
        try {
          line = queryLine('whois.nic.example', input);
        } catch (error) {
          if (error instanceof RangeError) return;
          throw error;
        }
        // `expect` is not used here, because it takes longer than the check itself.
        return /^[a-z0-9._-]{1,253}\r\n$/.test(line);
      }),
      { numRuns: 2_000, seed: 20_261_122 },
    );
  });
});

describe('decodeAnswer', () => {
  const decode = (bytes: Uint8Array, server = 'whois.nic.example', isCut = false) =>
    decodeAnswer(bytes, server, isCut);

  it('S67: UTF-8 is read as such, and invalid UTF-8 as windows-1252', () => {
    expect(decode(Buffer.from('Jürgen Exämple – €'))).toBe('Jürgen Exämple – €');
    expect(decode(Buffer.from('J\xfcrgen Ex\xe4mple \x80', 'latin1'))).toBe('Jürgen Exämple €');
    expect(decode(Buffer.from([0x41, 0xc3, 0x28, 0xff]))).toBe('AÃ(ÿ');
  });

  it('S67: an answer of a server with an encoding of its own is decoded in that encoding', () => {
    const bytes = Buffer.from('\x1b$BF|K\\\x1b(B', 'latin1');
    expect(decode(bytes, 'whois.jprs.jp')).toBe('日本');
    expect(decode(bytes)).not.toContain('日本');
    expect(decode(Buffer.from([0xcf, 0xf0, 0xe8]), 'whois.kg')).toBe('При');
  });

  it('S67: an answer of such a server in UTF-8 is read as UTF-8', () => {
    for (const server of ['whois.jprs.jp', 'whois.kg']) {
      expect(decode(Buffer.from('Jürgen 日本'), server)).toBe('Jürgen 日本');
    }
    expect(decode(Buffer.from('J\xfcrgen', 'latin1'), 'whois.jprs.jp')).toBe('Jürgen');
  });

  it('S67: control characters are removed, including those that change the writing direction', () => {
    const text = '\ufeffOwner:\t\u202eelpmaxE\u202c\0\x1b[31m\u2066x\u2069\u200f\x85\r\nb\rc\n';
    expect(decode(Buffer.from(text))).toBe('Owner:\telpmaxE[31mx\nb c\n');
  });

  it('S67: a text that is cut off within a character stays UTF-8', () => {
    const bytes = Buffer.from('Zoë €').subarray(0, -1);
    expect(decode(bytes, host, true)).toBe('Zoë ');
  });
});

describe('referralHost', () => {
  it.each([
    ['whois.registrar.example', 'whois.registrar.example'],
    [' WHOIS.Registrar.Example. ', 'whois.registrar.example'],
    ['whois.registrar.example:43', 'whois.registrar.example'],
    ['https://www.registrar.example/whois?x=1', 'www.registrar.example'],
    ['registrar.example/whois', 'registrar.example'],
  ])('extracts the host from %j', (text, expected) => {
    expect(referralHost(text)).toBe(expected);
  });

  it.each([
    'whois.evil.example:6379',
    'whois.evil.example:443',
    'http://whois.evil.example:80/',
    'rwhois://whois.evil.example:4321',
  ])('S57: a referral to the other port in %s is rejected', (text) => {
    expect(referralHost(text)).toBeUndefined();
  });

  it.each([
    '',
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '[::1]',
    '169.254.169.254',
    'localhost',
    'whois.nic.example\r\nQUIT',
    'whois.nic.example extra',
    'user@whois.nic.example',
    '-whois.nic.example',
    'whois..example',
    'whois.dotmobiregistry.net',
    `${'a.'.repeat(150)}example`,
    'a'.repeat(1_000_000),
  ])('S58: a referral that is not a plain host name in use is not followed: %#', (text) => {
    expect(referralHost(text)).toBeUndefined();
  });
});
