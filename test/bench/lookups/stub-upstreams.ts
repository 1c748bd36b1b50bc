import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

export interface StubTerms {
  keyPem: string;
  certificatePem: string;
}

export interface StubPorts {
  whois: number;
  rdap: number;
  dns: number;
}

function whoisAnswer(name: string): string {
  const contact = (role: string) =>
    `${role} Name: REDACTED FOR PRIVACY\r\n${role} Street: 1 Sample Street\r\n` +
    `${role} City: Sampletown\r\n${role} Country: NL\r\n${role} Email: contact@${name}\r\n`;
  return (
    `Domain Name: ${name}\r\nRegistry Domain ID: D1-BENCH\r\nUpdated Date: 2025-05-10T11:00:00Z\r\n` +
    'Creation Date: 2001-05-09T09:30:00Z\r\nRegistry Expiry Date: 2031-05-09T09:30:00Z\r\n' +
    'Registrar: Sample Registrar, Inc.\r\nRegistrar IANA ID: 9901\r\n' +
    'Domain Status: clientTransferProhibited https://icann.org/epp#clientTransferProhibited\r\n' +
    ['Registrant', 'Admin', 'Tech'].map(contact).join('') +
    `Name Server: ns1.${name}\r\nName Server: ns2.${name}\r\nDNSSEC: unsigned\r\n` +
    `>>> Last update of WHOIS database: 2026-11-20T10:00:00Z <<<\r\n\r\n${'Terms of use apply. '.repeat(40)}\r\n`
  );
}

function rdapAnswer(name: string): string {
  const events = [
    ['registration', '2001-05-09T09:30:00Z'],
    ['expiration', '2031-05-09T09:30:00Z'],
  ].map(([eventAction, eventDate]) => ({ eventAction, eventDate }));
  return JSON.stringify({
    objectClassName: 'domain',
    ldhName: name,
    handle: 'D1-BENCH',
    status: ['client transfer prohibited'],
    events,
    nameservers: [1, 2].map((n) => ({ objectClassName: 'nameserver', ldhName: `ns${n}.${name}` })),
    notices: [{ title: 'Terms', description: ['Terms of use apply. '.repeat(60)] }],
  });
}

async function listenWhois(): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (line) => socket.end(whoisAnswer(line.toString('latin1').trim())));
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 2_048 });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function listenRdap({ keyPem, certificatePem }: StubTerms): Promise<number> {
  const server = createHttpsServer({ key: keyPem, cert: certificatePem }, ({ url }, response) => {
    const name = url!.slice(url!.lastIndexOf('/') + 1);
    response.setHeader('content-type', 'application/rdap+json').end(rdapAnswer(name));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Answers every question with an A record (RFC 1035 §4.1). @returns the port of the server. */
async function listenDns(): Promise<number> {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 4 * 1_024 * 1_024 });
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 1, 44, 0, 4, 192, 0, 2, 1]);
  socket.on('message', (question, { port, address }) => {
    let end = 12;
    while (question[end] !== 0) end += question[end] + 1;
    const answer = Buffer.concat([question.subarray(0, end + 5), record]);
    answer.writeUInt16BE(0x8180, 2);
    answer.writeUInt16BE(1, 6);
    answer.writeUInt16BE(0, 10);
    socket.send(answer, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket.address().port;
}

const ports: StubPorts = {
  whois: await listenWhois(),
  rdap: await listenRdap(workerData as StubTerms),
  dns: await listenDns(),
};
parentPort!.postMessage(ports);
