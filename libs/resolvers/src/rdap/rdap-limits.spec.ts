import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { LoopbackInternet } from '../loopback-internet.contract.js';
import { RdapClient } from './rdap-client.js';

const host = 'rdap.nic.example';
const url = `https://${host}/domain/a.example`;
const patient = { connectMs: 60_000, firstByteMs: 60_000, wholeMs: 60_000 };
const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

let internet: LoopbackInternet;
let client: RdapClient;
beforeEach(() => {
  internet = new LoopbackInternet();
});
afterEach(async () => {
  await client.close();
  await internet.close();
});

/** Sends text again and again, as fast as it is read, until the connection ends. */
function flood({ socket }: ServerResponse, text: string): void {
  const next = (error?: Error | null) => {
    if (!error) socket!.write(text, next);
  };
  next();
}

describe('RdapClient, with a hostile server,', () => {
  it.each([
    ['informational answers', 'HTTP/1.1 103 Early Hints\r\na: b\r\n\r\n', ''],
    ['a reason', 'a'.repeat(16_384), 'HTTP/1.1 200 '],
    ['a chunk extension', 'a'.repeat(16_384), `${HEAD}1;a=`],
  ])('S102: disconnects a server that sends %s without end', async (_what, text, begin) => {
    await internet.rdap(host, (_request, response) =>
      response.socket!.write(begin, () => flood(response, text)),
    );
    client = new RdapClient(internet.connector(), patient);
    await expect(client.fetch(url)).rejects.toMatchObject({ fault: 'protocol_error' });
  });

  it('S102: reads no answer with very many values', async () => {
    const many = `{"ldhName":"a.example","a":[${'[],'.repeat(60_000)}[]]}`;
    await internet.rdap(host, (_request, response) => void response.end(many));
    client = new RdapClient(internet.connector(), patient);
    expect(await client.fetch(url)).toMatchObject({ kind: 'failed', fault: 'not_rdap' });
  });

  it('S64: reads no "not found" that is much longer than any known one, because its texts delay other lookups', async () => {
    const notices = [{ description: ['Abc de. '.repeat(10_000)] }];
    const body = { errorCode: 404, rdapConformance: ['rdap_level_0'], notices };
    await internet.rdap(host, (_request, response) =>
      response.writeHead(404).end(JSON.stringify(body)),
    );
    client = new RdapClient(internet.connector(), patient);
    expect(await client.fetch(url)).toMatchObject({ kind: 'failed', fault: 'too_large' });
  });

  it('limits each answer, not all answers of a connection together', async () => {
    const object = JSON.stringify({ ldhName: 'a.example', remark: 'a'.repeat(200_000) });
    await internet.rdap(host, (_request, response) => void response.end(object));
    client = new RdapClient(internet.connector(), { ...patient, sizeBytes: object.length });
    for (let count = 0; count < 5; count++) {
      expect(await client.fetch(url)).toMatchObject({ kind: 'object' });
    }
  });
});
