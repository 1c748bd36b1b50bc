import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type RequestListener, type Server, createServer } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { waitFor } from '#test/environment';
import { ApiResponse } from './api-response.js';

let server: Server | undefined;
let socket: Socket | undefined;

afterEach(async () => {
  socket?.destroy();
  server?.close();
  if (server) await once(server, 'close');
});

/** Sends text to a server that has this handler. @returns the response so far, with one character per byte. */
async function talk(listener: RequestListener<never, typeof ApiResponse>, text: string) {
  server = createServer({ ServerResponse: ApiResponse }, listener as RequestListener) as Server;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const received = { text: '' };
  socket.setEncoding('latin1').on('data', (part: string) => (received.text += part));
  socket.write(text);
  return received;
}

const questions = (...paths: string[]) =>
  paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: api\r\n\r\n`).join('');

describe('a response sent as a whole', () => {
  it('the response has the given headers, the headers that Node adds, and every byte of the body', async () => {
    const body = Buffer.from('Zürich').toString('latin1');
    const received = await talk((_request, response) => {
      response.sendWhole(429, 'X-Own: 1\r\n', body);
    }, questions('/'));
    await waitFor('the answer', () => received.text.endsWith(body));
    const [headers] = received.text.split('\r\n\r\n');
    const [status, ...lines] = headers.split('\r\n');
    expect(status).toBe('HTTP/1.1 429 Too Many Requests');
    expect(lines.map((line) => line.split(': ', 1)[0])).toEqual([
      'X-Own',
      'Date',
      'Connection',
      'Keep-Alive',
      'Content-Length',
    ]);
    expect(lines.at(-1)).toBe('Content-Length: 7');
  });

  it('the response waits for the answers to earlier requests on its connection', async () => {
    const waiting: ApiResponse[] = [];
    const received = await talk(
      (_request, response) => void waiting.push(response),
      questions('/first', '/second'),
    );
    await waitFor('both questions', () => waiting.length === 2);
    waiting[1].sendWhole(200, '', 'second');
    waiting[0].sendWhole(200, '', 'first');
    await waitFor('both answers', () => received.text.endsWith('second'));
    expect(received.text).toMatch(/^HTTP[^]*\r\n\r\nfirstHTTP\/1.1 200 OK\r\n[^]*\r\n\r\nsecond$/);
  });

  it('an HTTP/1.0 client gets the length of the body', async () => {
    const received = await talk((_request, response) => {
      response.sendWhole(200, '', 'answer');
    }, 'GET / HTTP/1.0\r\n\r\n');
    await waitFor('the answer', () => received.text.endsWith('answer'));
    expect(received.text).toContain('\r\nConnection: close\r\nContent-Length: 6\r\n\r\n');
  });

  it('the connection is closed after the answer unless it is kept alive', async () => {
    const received = await talk((_request, response) => {
      response.shouldKeepAlive = false;
      response.sendWhole(200, '', 'last');
    }, questions('/'));
    await once(socket!, 'close');
    expect(received.text).toContain('\r\nConnection: close\r\n');
  });
});
