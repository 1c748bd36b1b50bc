import type { AddressInfo } from 'node:net';
import { callbackify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { monotonicMs, newId } from '#libs/platform';
import { TestClock } from '#test/environment';
import { MailRefused } from '../mail-transport.js';
import { LocalMailbox } from './local-mailbox.js';
import { type TransportUnderTest, mailTransportContract } from './mail-transport.contract.js';
import { SmtpTransport } from './smtp.js';

class SmtpSink {
  readonly received: ParsedMail[] = [];
  /** The code that rejects RCPT TO, and the text after it. */
  refusal?: number;
  refusalText = 'refused';
  /** The password that a client must give; undefined if none is needed. */
  password?: string;
  private readonly server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ password }, _session, done) =>
      password === this.password
        ? done(null, { user: 'service' })
        : done(Object.assign(new Error('no'), { responseCode: 535 })),
    onMailFrom: (_address, { user }, done) =>
      done(this.password === undefined || user ? null : new Error('log in')),
    onRcptTo: (_address, _session, done) =>
      done(
        this.refusal === undefined
          ? null
          : Object.assign(new Error(this.refusalText), { responseCode: this.refusal }),
      ),
    closeTimeout: 100,
    onData: (stream, _session, done) =>
      callbackify(async () => void this.received.push(await simpleParser(stream)))(done),
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `smtp://127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  disconnectAll(): void {
    for (const { _socket: socket } of this.server.connections) socket.destroy();
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(resolve));
  }
}

const mail = { to: 'someone@example.com', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' };

describe('mail over SMTP', () => {
  let server: SmtpSink;
  let underTest: TransportUnderTest;
  let url: string;

  beforeEach(async () => {
    server = new SmtpSink();
    url = await server.listen();
    underTest = {
      transport: new SmtpTransport({ url, from: 'Service <service@example.org>' }),
      arrived: async () => server.received.map(shown),
    };
  });
  afterEach(async () => {
    await underTest.transport.close();
    await server.close();
  });

  mailTransportContract(() => underTest);

  it('a permanent rejection is distinguished from a temporary one', async () => {
    [server.refusal, server.refusalText] = [550, '5.1.1 <someone@relay.example>: unknown'];
    const refused = underTest.transport.send({ ...mail, id: newId() });
    await expect(refused).rejects.toBeInstanceOf(MailRefused);
    server.refusal = 451;
    const delayed = underTest.transport.send({ ...mail, id: newId() });
    await expect(delayed).rejects.not.toBeInstanceOf(MailRefused);
    expect(server.received).toEqual([]);
  });

  it('an e-mail is not abandoned if the server refuses the sender, for example because SMTP_URL lacks the log-in', async () => {
    server.password = 'secret';
    const refused = underTest.transport.send({ ...mail, id: newId() });
    await expect(refused).rejects.toMatchObject({ responseCode: 550, command: 'MAIL FROM' });
    await expect(refused).rejects.not.toBeInstanceOf(MailRefused);
  });

  it.each([
    [554, '5.7.1 <someone@example.com>: Relay access denied'],
    [550, '5.7.54 SMTP; Unable to relay recipient in non-accepted domain'],
    [550, 'relay not permitted'],
    [554, '5.7.1 Service unavailable; Client host [192.0.2.1] blocked'],
  ])(
    'nor is it abandoned if the server refuses the recipient because of the sender: %i %s',
    async (code, text) => {
      [server.refusal, server.refusalText] = [code, text];
      const refused = underTest.transport.send({ ...mail, id: newId() });
      await expect(refused).rejects.toMatchObject({ responseCode: code, command: 'RCPT TO' });
      await expect(refused).rejects.not.toBeInstanceOf(MailRefused);
    },
  );

  it('a very long rejection does not delay other work', async () => {
    [server.refusal, server.refusalText] = [550, `${'a'.repeat(150_000)} relay not permitted`];
    const startedMs = monotonicMs();
    const refused = underTest.transport.send({ ...mail, id: newId() });
    await expect(refused).rejects.toMatchObject({ responseCode: 550, command: 'RCPT TO' });
    // With a search that is quadratic in the length, this takes more than a minute.
    expect(monotonicMs() - startedMs).toBeLessThan(20_000);
  });

  it('replies go to the contact address; without one, to the sender', async () => {
    await underTest.transport.send({ ...mail, id: newId() });
    const from = 'Service <no-reply@example.org>';
    const answered = new SmtpTransport({ url, from, replyTo: 'help@example.org' });
    await answered.send({ ...mail, id: newId() });
    await answered.close();
    const answers = server.received.map(({ replyTo }) => replyTo?.value[0].address);
    expect(answers).toEqual([undefined, 'help@example.org']);
  });

  it('without STARTTLS, another machine gets no e-mail unless the URL allows it', async () => {
    const send = async (to: string) => {
      const transport = new SmtpTransport({ url: to, from: 'Service <service@example.org>' });
      await transport.send({ ...mail, id: newId() }).finally(() => transport.close());
    };
    // This address leads to this machine, but it is not a loopback address.
    const other = url.replace('127.0.0.1', '0.0.0.0');
    await expect(send(other)).rejects.toThrow(/STARTTLS/);
    await expect(send(`${other}?requireTLS=true`)).rejects.toThrow(/STARTTLS/);
    expect(server.received).toEqual([]);
    await send(`${other}?requireTLS=false`);
    expect(server.received).toHaveLength(1);
  });

  it('a repeated e-mail has the same Message-ID', async () => {
    const id = newId();
    await underTest.transport.send({ ...mail, id });
    await underTest.transport.send({ ...mail, id });
    const ids = server.received.map(({ messageId }) => messageId);
    expect(ids).toEqual([`<${id}@example.org>`, `<${id}@example.org>`]);
  });
});

describe('a mail server with a password', () => {
  const server = new SmtpSink();
  let password = 'first';
  let transport: SmtpTransport;

  beforeEach(async () => {
    const address = (await server.listen()).replace('smtp://', '');
    const url = () => `smtp://service:${password}@${address}`;
    transport = new SmtpTransport({ url, from: 'Service <service@example.org>' });
  });
  afterEach(async () => {
    await transport.close();
    await server.close();
  });

  it('S113: e-mails are sent after the old password has been removed from the server; an e-mail that was rejected meanwhile is not abandoned', async () => {
    const send = (subject: string) => transport.send({ ...mail, subject, id: newId() });
    server.password = 'first';
    await send('before');
    server.password = 'second';
    server.disconnectAll();
    // The sender keeps an e-mail unless the server refuses it permanently.
    await expect(send('between')).rejects.not.toBeInstanceOf(MailRefused);
    password = 'second';
    await send('after');
    expect(server.received.map(({ subject }) => subject)).toEqual(['before', 'after']);
  });
});

describe('mail to the local mailbox', () => {
  let mailbox: LocalMailbox;

  beforeEach(() => {
    mailbox = new LocalMailbox(new TestClock());
  });

  mailTransportContract(() => ({
    transport: mailbox,
    arrived: async () =>
      (await mailbox.newest(9)).map(({ to, subject, text }) => ({ to, subject, text })),
  }));

  it('the latest 200 e-mails are kept, newest first, and a repeated e-mail only once', async () => {
    for (let i = 1; i <= 201; i++) {
      await mailbox.send({ ...mail, subject: `Mail ${i}`, id: String(i) });
    }
    await mailbox.send({ ...mail, subject: 'Mail 201', id: '201' });
    const subjects = (await mailbox.newest(999)).map(({ subject }) => subject);
    expect(subjects).toHaveLength(200);
    expect([subjects[0], subjects[199]]).toEqual(['Mail 201', 'Mail 2']);
  });
});

function shown({ to, subject = '', text = '' }: ParsedMail) {
  const recipients = [to ?? []].flat();
  return { to: recipients.map((one) => one.text).join(), subject, text: text.trimEnd() };
}
