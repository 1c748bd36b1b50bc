import { once } from 'node:events';
import { type IncomingMessage, createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { Random } from '../../../../test/random.js';
import { readPlainRequest } from './plain-request.js';

const LINE = 'GET /v2.0/whois/live?domainName=a.example HTTP/1.1\r\n';

describe('a plain request', () => {
  it('a complete GET is read, with its headers in order and without the spaces around their values', () => {
    const text = `${LINE}Host: api.example\r\nX-API-Key:\t key \r\nconnection: Keep-Alive\r\nAccept:\r\n\r\n`;
    expect(readPlainRequest(text)).toEqual({
      target: '/v2.0/whois/live?domainName=a.example',
      rawHeaders: 'Host|api.example|X-API-Key|key|connection|Keep-Alive|Accept|'.split('|'),
    });
  });

  it.each([
    ['only a part of the headers', `${LINE}host: a\r\n`],
    ['headers without their last byte', `${LINE}host: a\r\n\r`],
    ['data after its headers', `${LINE}host: a\r\n\r\nG`],
    ['two requests', `${LINE}host: a\r\n\r\n${LINE}host: a\r\n\r\n`],
    ['an empty line before the request', `\r\n${LINE}host: a\r\n\r\n`],
    ['another method', `HEAD /v2.0/whois/live HTTP/1.1\r\nhost: a\r\n\r\n`],
    ['a lower-case method', `get /v2.0/whois/live HTTP/1.1\r\nhost: a\r\n\r\n`],
    ['another version', `GET /v2.0/whois/live HTTP/1.0\r\nhost: a\r\n\r\n`],
    ['an absolute target', `GET http://a/v2.0/whois/live HTTP/1.1\r\nhost: a\r\n\r\n`],
    ['two spaces in the request line', `GET  /v2.0/whois/live HTTP/1.1\r\nhost: a\r\n\r\n`],
    ['a control character in the target', `GET /v2.0\u0001 HTTP/1.1\r\nhost: a\r\n\r\n`],
    ['a byte outside of ASCII in the target', `GET /v2.0\u00e9 HTTP/1.1\r\nhost: a\r\n\r\n`],
    ['a byte outside of ASCII in a value', `${LINE}host: a\r\nx: \u00e9\r\n\r\n`],
    ['a NUL in a value', `${LINE}host: a\r\nx: \u0000\r\n\r\n`],
    ['lines that end without CR', `GET /v2.0/whois/live HTTP/1.1\nhost: a\n\n`],
    ['a CR in a value', `${LINE}host: a\r\nx: a\rb\r\n\r\n`],
    ['a folded value', `${LINE}host: a\r\nx: a\r\n b\r\n\r\n`],
    ['a space before the colon', `${LINE}host: a\r\nx : a\r\n\r\n`],
    ['no host', `${LINE}x: a\r\n\r\n`],
    ['two hosts', `${LINE}host: a\r\nHost: b\r\n\r\n`],
    ['a host with a user', `${LINE}host: a@b\r\n\r\n`],
    ['an empty host', `${LINE}host: \r\n\r\n`],
    ['a port that is not a number', `${LINE}host: a:b\r\n\r\n`],
    ['a content length', `${LINE}host: a\r\nContent-Length: 0\r\n\r\n`],
    ['a chunked body', `${LINE}host: a\r\nTransfer-Encoding: chunked\r\n\r\n`],
    ['an upgrade', `${LINE}host: a\r\nUpgrade: h2c\r\n\r\n`],
    ['an expectation', `${LINE}host: a\r\nExpect: 100-continue\r\n\r\n`],
    ['a connection to be closed', `${LINE}host: a\r\nConnection: close\r\n\r\n`],
    ['a list of connection options', `${LINE}host: a\r\nConnection: keep-alive, te\r\n\r\n`],
    ['a long target', `GET /${'a'.repeat(9_000)} HTTP/1.1\r\nhost: a\r\n\r\n`],
    ['long headers', `${LINE}host: a\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['many headers', `${LINE}host: a\r\n${'x: a\r\n'.repeat(100)}\r\n`],
  ])('a packet with %s is not a plain request', (_what, text) => {
    expect(readPlainRequest(text)).toBeUndefined();
  });

  it('S104: Node’s parser reads the same request, whatever its contents', async () => {
    const seed = Number(process.env.SEED ?? 1);
    const random = new Random(seed);
    let seen: IncomingMessage[] = [];
    const server = createServer((request, response) => {
      seen.push(request);
      response.end('ok');
    }).listen(0, '127.0.0.1');
    server.on('clientError', (_error, socket) => socket.destroy());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    let plain = 0;
    for (let run = 0; run < 1_500; run++) {
      const text = randomPacket(random);
      const request = readPlainRequest(text);
      if (request === undefined) continue;
      plain++;
      seen = [];
      const socket = connect(port, '127.0.0.1');
      socket.write(text, 'latin1');
      const [answer] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      const [first] = seen;
      const ours = { seed, text, status: 'HTTP/1.1 200 OK', count: 1, url: request.target };
      expect({
        seed,
        text,
        status: answer.toString('latin1', 0, 15),
        count: seen.length,
        url: first.url,
        method: first.method,
        rawHeaders: first.rawHeaders,
      }).toEqual({ ...ours, method: 'GET', rawHeaders: request.rawHeaders });
      expect(answer.toString('latin1')).toContain('Connection: keep-alive');
    }
    server.close();
    expect(plain).toBeGreaterThan(100);
  });
});

const BYTES = [
  'a',
  'Z',
  '0',
  '%41',
  '?',
  '&',
  '=',
  '#',
  ':',
  '"',
  '|',
  '~',
  '\t',
  ' ',
  '\u0080',
  '\r',
];
const NAMES = [
  'x',
  'X-API-Key',
  'Authorization',
  'Connection',
  'Content-Length',
  'TE',
  'Host',
  'x y',
];
const VALUES = [
  'keep-alive',
  'close',
  '0',
  ' a ',
  '\ta\t',
  'a:b',
  '',
  'a b',
  '"q\\"',
  'a,b',
  '\u00e9',
];

/** Returns a random packet. Most packets are well-formed; some have errors. */
function randomPacket(random: Random): string {
  const odd = (usual: string, others: readonly string[]) =>
    random.chance(1 / 12) ? random.pick(others) : usual;
  let target = '/';
  for (let count = random.between(0, 7); count > 0; count--)
    target += random.pick(BYTES.slice(0, 12));
  target = odd(target, ['*', 'a:80', `/${random.pick(BYTES)}`, 'http://a/']);
  let text = `${odd('GET', ['HEAD', 'GETS', 'get'])} ${target} ${odd('HTTP/1.1', ['HTTP/1.0', 'HTTP/2.0'])}\r\n`;
  text += odd('Host: a\r\n', ['', 'Host: a\r\nHost: b\r\n', 'host:\r\n', 'Host : a\r\n']);
  for (let count = random.between(0, 3); count > 0; count--) {
    const name = random.pick(random.chance(0.5) ? NAMES.slice(0, 3) : NAMES);
    text += `${name}${odd(':', [' :', '::', ''])} ${random.pick(VALUES)}${odd('\r\n', ['\n', '\r\r\n', '\r\n '])}`;
  }
  return text + odd('\r\n', ['', '\n', '\r\n\r\n', '\r\nGET']);
}
