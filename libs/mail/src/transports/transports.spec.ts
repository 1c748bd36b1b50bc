import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { TestClock } from '#test/environment';
import { MailRefused } from '../mail-transport.js';
import { LocalMailbox } from './local-mailbox.js';
import { type TransportUnderTest, mailTransportContract } from './mail-transport.contract.js';
import { SmtpTransport } from './smtp.js';

interface Received {
  to: string[];
  data: string;
}

/** The least of RFC 5321 that takes a mail, on a real socket. */
class SmtpServer {
  readonly received: Received[] = [];
  /** What RCPT TO is answered with. */
  recipientReply = '250 fine';
  private readonly sockets = new Set<Socket>();
  private server: Server;

  async listen(): Promise<string> {
    this.server = createServer((socket) => this.serve(socket));
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `smtp://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    let [buffer, to, isData] = ['', [] as string[], false];
    const reply = (line: string) => socket.write(`${line}\r\n`);
    reply('220 test');
    socket.setEncoding('latin1').on('data', (chunk) => {
      buffer += String(chunk);
      for (;;) {
        const end = buffer.indexOf(isData ? '\r\n.\r\n' : '\r\n');
        if (end < 0) return;
        const text = buffer.slice(0, end);
        buffer = buffer.slice(end + (isData ? 5 : 2));
        if (isData) {
          this.received.push({ to, data: text });
          [to, isData] = [[], false];
          reply('250 taken');
        } else if (text.startsWith('RCPT TO:')) {
          to.push(text.slice(9, -1));
          reply(this.recipientReply);
        } else if (text === 'DATA') {
          isData = true;
          reply('354 go on');
        } else reply('250 fine');
      }
    });
  }
}

const mail = { to: 'someone@example.com', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' };

describe('mail over SMTP', () => {
  let server: SmtpServer;
  let underTest: TransportUnderTest;

  beforeEach(async () => {
    server = new SmtpServer();
    const url = await server.listen();
    underTest = {
      transport: new SmtpTransport({ url, from: 'Service <service@example.org>' }),
      arrived: async () => server.received.map(({ to, data }) => parsed(to, data)),
    };
  });
  afterEach(async () => {
    await underTest.transport.close();
    await server.close();
  });

  mailTransportContract(() => underTest);

  it('a refusal for good is told from one that may pass', async () => {
    server.recipientReply = '550 no such mailbox';
    const refused = underTest.transport.send({ ...mail, id: newId() });
    await expect(refused).rejects.toBeInstanceOf(MailRefused);
    server.recipientReply = '451 come back later';
    const delayed = underTest.transport.send({ ...mail, id: newId() });
    await expect(delayed).rejects.not.toBeInstanceOf(MailRefused);
    expect(server.received).toEqual([]);
  });

  it('a repeat carries the same Message-ID', async () => {
    const id = newId();
    await underTest.transport.send({ ...mail, id });
    await underTest.transport.send({ ...mail, id });
    const ids = server.received.map(({ data }) => /^Message-ID: (.*)$/m.exec(data)?.[1].trim());
    expect(ids).toEqual([`<${id}@example.org>`, `<${id}@example.org>`]);
  });
});

describe('mail into the local mailbox', () => {
  let mailbox: LocalMailbox;

  beforeEach(() => {
    mailbox = new LocalMailbox(new TestClock());
  });

  mailTransportContract(() => ({
    transport: mailbox,
    arrived: async () =>
      (await mailbox.newest(9)).map(({ to, subject, text }) => ({ to, subject, text })),
  }));

  it('keeps the latest 200 mails, newest first, a repeat once', async () => {
    for (let i = 1; i <= 201; i++) {
      await mailbox.send({ ...mail, subject: `Mail ${i}`, id: String(i) });
    }
    await mailbox.send({ ...mail, subject: 'Mail 201', id: '201' });
    const subjects = (await mailbox.newest(999)).map(({ subject }) => subject);
    expect(subjects).toHaveLength(200);
    expect([subjects[0], subjects[199]]).toEqual(['Mail 201', 'Mail 2']);
  });
});

/** Recipient, subject and text part of a message as nodemailer writes it. */
function parsed(to: string[], data: string) {
  const subject = /^Subject: (.*)$/m.exec(data)?.[1].trim() ?? '';
  const encoded = /^=\?UTF-8\?(.)\?(.*)\?=$/.exec(subject);
  const part = data.split(/\r\n--/).find((p) => p.includes('text/plain')) ?? data;
  const text = part.slice(part.indexOf('\r\n\r\n') + 4).replaceAll('\r\n', '\n');
  return {
    to: to.join(),
    subject: encoded ? decodeWord(encoded[1], encoded[2]) : subject,
    text: text.replace(/^\.\./gm, '.').replace(/\n$/, ''),
  };
}

function decodeWord(encoding: string, text: string): string {
  if (encoding === 'B') return Buffer.from(text, 'base64').toString('utf8');
  const bytes = text
    .replace(/_/g, ' ')
    .replace(/=(..)/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
