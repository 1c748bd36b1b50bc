import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '#libs/database';
import { Logger, newId } from '#libs/platform';
import { TestClock, TestDatabase, waitFor } from '#test/environment';
import { composeMail } from './mail-template.js';
import { MailOutbox } from './mail-outbox.js';
import { MailSender } from './mail-sender.js';
import { MailRefused, MailTransport } from './mail-transport.js';
import { LocalMailbox } from './transports/local-mailbox.js';
import { UnsentMail } from './unsent-mail.entity.js';

const mail = composeMail('someone@example.com', { subject: 'Hello', paragraphs: ['Hello'] });

/** Refuses a given number of times, then delivers into a mailbox. */
class FailingTransport extends MailTransport {
  readonly failures: Error[] = [];
  readonly mailbox = new LocalMailbox(new TestClock());
  sends = 0;

  async send(outgoing: Parameters<MailTransport['send']>[0]): Promise<void> {
    this.sends++;
    const failure = this.failures.shift();
    if (failure) throw failure;
    await this.mailbox.send(outgoing);
  }

  async close(): Promise<void> {}
}

/** A server that takes a mail and never answers. */
class SilentTransport extends MailTransport {
  send(): Promise<void> {
    return new Promise(() => {});
  }

  async close(): Promise<void> {}
}

describe('mail sender', () => {
  const lines: string[] = [];
  const logger = new Logger('mail', { write: (line: string) => void lines.push(line) });
  let test: TestDatabase;
  let database: Database;
  let maintenance: Database;
  let transport: FailingTransport;
  let sender: MailSender;

  beforeAll(async () => {
    test = await TestDatabase.create();
    database = await test.service('account', [UnsentMail]);
    maintenance = await test.maintenance('account');
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    await maintenance.query('delete from mail');
    transport = new FailingTransport();
    sender = new MailSender(maintenance, transport, logger);
  });

  const write = () =>
    database.transaction((transaction) => new MailOutbox().add(transaction, newId(), mail));
  const rows = () =>
    maintenance.query('select state, attempts, reason, recipient, subject, text, html from mail');
  const makeDue = () => maintenance.query('update mail set next_try_at = clock_timestamp()');

  it('a mail of a transaction that rolled back is never sent', async () => {
    const rolledBack = database.transaction(async (transaction) => {
      await new MailOutbox().add(transaction, newId(), mail);
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow('no');
    expect(await sender.runOnce()).toBe(0);
  });

  it('parallel senders send each mail once, and nothing of it stays', async () => {
    for (let i = 0; i < 30; i++) await write();
    const senders = Array.from({ length: 4 }, () => new MailSender(maintenance, transport, logger));
    await Promise.all(senders.map((one) => one.runOnce()));
    expect(transport.sends).toBe(30);
    expect(await rows()).toEqual([]);
  });

  it('a sender that dies leaves others waiting for the one mail in its hands alone', async () => {
    for (let i = 0; i < 3; i++) await write();
    // Never answered: as if its process were gone.
    void new MailSender(maintenance, new SilentTransport(), logger).runOnce();
    const claimed = () => maintenance.query('select id from mail where attempts = 1');
    await waitFor('the first to be taken', async () => (await claimed()).length === 1);
    const [inHand] = await claimed();
    expect(await sender.runOnce()).toBe(2);
    const claims = await maintenance.query(
      `select id from mail where next_try_at between clock_timestamp()
         and clock_timestamp() + interval '40 s'`,
    );
    expect(claims).toEqual([inHand]);
    await makeDue();
    expect(await sender.runOnce()).toBe(1);
  });

  it('mails leave in the order in which they were written, those tried again, too', async () => {
    transport.failures.push(new Error('away'));
    await write();
    await sender.runOnce();
    const [first] = await maintenance.query<{ id: string }>('select id from mail');
    await write();
    await maintenance.query(
      `update mail set next_try_at = clock_timestamp() - interval '1 ms' where id = $1`,
      [first.id],
    );
    await sender.runOnce();
    const [newest, oldest] = await transport.mailbox.newest(9);
    expect(oldest.id).toBe(first.id);
    expect(newest.id).not.toBe(first.id);
  });

  it('a mail that could not be sent is tried again later, not at once', async () => {
    transport.failures.push(new Error('away'));
    await write();
    expect(await sender.runOnce()).toBe(0);
    // An hour more, for a machine that stands still over the two seconds.
    const [{ isLater }] = await maintenance.query<{ isLater: boolean }>(
      `update mail set next_try_at = next_try_at + interval '1 hour'
       returning next_try_at >= created_at + interval '1 hour 2 s' as "isLater"`,
    );
    expect(isLater).toBe(true);
    expect([await sender.runOnce(), transport.sends]).toEqual([0, 1]);
    await makeDue();
    expect(await sender.runOnce()).toBe(1);
    expect(await transport.mailbox.newest(9)).toHaveLength(1);
  });

  it('a mail refused for good is given up at once and loses its content', async () => {
    transport.failures.push(new MailRefused('no someone@example.com here'));
    await write();
    await sender.runOnce();
    await makeDue();
    expect([await sender.runOnce(), transport.sends]).toEqual([0, 1]);
    expect(await rows()).toEqual([
      {
        state: 'dead',
        attempts: 1,
        reason: 'Error',
        recipient: null,
        subject: null,
        text: null,
        html: null,
      },
    ]);
    expect(lines.join()).not.toContain('someone@example.com');
  });

  it('S66, S82: whatever a mail quotes is text in its HTML', () => {
    const { html, text } = composeMail('someone@example.com', {
      subject: 'Hello',
      paragraphs: ['<script>alert(1)</script> & "so on"'],
      action: { label: '<b>', url: 'https://example.com/?a="b"' },
    });
    expect(html).not.toMatch(/<script|<b>|="b"/);
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;so on&quot;');
    expect(text).toContain('<script>alert(1)</script>');
  });
});
