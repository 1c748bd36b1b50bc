import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type Server, type TLSSocket, createServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CertificateAuthority, SafeConnector } from '#libs/resolvers';
import { drip } from '../../../simulators/src/registry/connections.js';
import { HttpsDownloads } from './https-downloads.js';

const HOST = 'a.sources.example';
const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const BYTES_MAX = 2 ** 20;
const { signal } = new AbortController();

describe('downloads from hostile hosts', () => {
  let server: Server;
  let downloads: HttpsDownloads;
  let impatient: HttpsDownloads;
  let answer: (socket: TLSSocket) => void;

  beforeAll(async () => {
    const authority = new CertificateAuthority();
    const { keyPem: key, certificatePem: cert } = authority.certificateFor([HOST]);
    server = createServer({ key, cert }, (socket) => {
      socket.on('error', () => {}).once('data', () => answer(socket));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const exception = { host: HOST, port: 443, address: '127.0.0.1', addressPort: port };
    const extraCaPem = authority.certificatePem;
    const connector = new SafeConnector({ exceptions: [exception], extraCaPem });
    downloads = new HttpsDownloads(connector, BYTES_MAX);
    impatient = new HttpsDownloads(connector, BYTES_MAX, 0);
  });
  afterAll(async () => {
    await Promise.all([downloads.close(), impatient.close()]);
    server.close();
  });

  const read = async (by = downloads) =>
    by.read(new URL(`https://${HOST}/file`), BYTES_MAX, signal);

  it('S102: a file that arrives too slowly is given up', async () => {
    answer = (socket) => socket.write(HEAD, () => drip(socket, Buffer.from('1\r\na\r\n'), 20));
    await expect(read(impatient)).rejects.toThrow('too slowly');
  });

  it('S102: a host that sends informational answers without end is disconnected', async () => {
    const text = 'HTTP/1.1 103 Early Hints\r\na: b\r\n\r\n'.repeat(100);
    answer = (socket) => {
      const next = (error?: Error | null) => void (error || socket.write(text, next));
      next();
    };
    await expect(read()).rejects.toMatchObject({ fault: 'protocol_error' });
  });
});
