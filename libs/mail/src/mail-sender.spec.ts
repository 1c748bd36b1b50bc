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

/** A transport that fails once with each error of `failures`, and then delivers into a mailbox. */
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

/** A transport whose server does not answer until the transport is closed. */
class SilentTransport extends MailTransport {
  private readonly silence = Promise.withResolvers<void>();

  send(): Promise<void> {
    return this.silence.promise;
  }

  async close(): Promise<void> {
    this.silence.resolve();
  }
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
    await maintenance.query('delete from work');
    transport = new FailingTransport();
    sender = new MailSender(maintenance, transport, logger);
  });

  const write = (accountId = newId()) =>
    database.transaction((transaction) => new MailOutbox().add(transaction, accountId, mail));
  const rows = () =>
    maintenance.query('select state, attempts, reason, recipient, subject, text, html from mail');
  /** Makes time pass for all e-mails, by moving their times into the past. */
  const pass = (seconds: number) =>
    maintenance.query(
      `update work set until = until - $1 * interval '1 s' where state in ('waiting', 'claimed')`,
      [seconds],
    );

  it('an e-mail added in a transaction that rolls back is never sent', async () => {
    const rolledBack = database.transaction(async (transaction) => {
      await new MailOutbox().add(transaction, newId(), mail);
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow('no');
    await sender.runOnce();
    expect(transport.sends).toBe(0);
  });

  it('parallel senders send each e-mail once, and keep no content', async () => {
    for (let i = 0; i < 30; i++) await write();
    const senders = Array.from({ length: 4 }, () => new MailSender(maintenance, transport, logger));
    await Promise.all(senders.map((one) => one.runOnce()));
    expect(transport.sends).toBe(30);
    expect(await rows()).toEqual([]);
  });

  it('if a sender is killed, only the e-mail that it was sending is delayed', async () => {
    for (let i = 0; i < 3; i++) await write();
    // The server never answers for this e-mail, as if the sender's process were dead.
    const silent = new SilentTransport();
    const dying = new MailSender(maintenance, silent, logger).runOnce();
    const claimed = () => maintenance.query(`select id from work where state = 'claimed'`);
    await waitFor('the first to be taken', async () => (await claimed()).length === 1);
    await sender.runOnce();
    expect(transport.sends).toBe(2);
    await pass(60);
    await sender.runOnce();
    expect([transport.sends, await rows()]).toEqual([3, []]);
    await silent.close();
    await dying;
  });

  it('the due e-mails to an account are sent in the order they were written, even if one is retried', async () => {
    const accountId = newId();
    transport.failures.push(new Error('away'));
    await write(accountId);
    await sender.runOnce();
    const [first] = await maintenance.query<{ id: string }>('select id from mail');
    await write(accountId);
    await pass(2);
    await sender.runOnce();
    const [newest, oldest] = await transport.mailbox.newest(9);
    expect(oldest.id).toBe(first.id);
    expect(newest.id).not.toBe(first.id);
  });

  it('an e-mail that could not be sent is retried later, not at once', async () => {
    transport.failures.push(new Error('away'));
    await write();
    await sender.runOnce();
    // One more hour allows for a machine that hangs for longer than two seconds.
    const [{ waitsSeconds }] = await maintenance.query<{ waitsSeconds: number }>(
      `update work set until = until + interval '1 hour'
       returning extract(epoch from until - added_at)::float8 as "waitsSeconds"`,
    );
    expect(waitsSeconds).toBeGreaterThanOrEqual(3_602);
    await sender.runOnce();
    expect(transport.sends).toBe(1);
    expect(await rows()).toMatchObject([{ state: 'waiting', attempts: 1, reason: 'Error' }]);
    await pass(3_602);
    await sender.runOnce();
    expect(await transport.mailbox.newest(9)).toHaveLength(1);
  });

  it('an e-mail is abandoned after about three days, and its content is deleted', async () => {
    await write();
    let waitedSeconds = 0;
    while ((await maintenance.query('select from work')).length > 0) {
      transport.failures.push(new Error('away'));
      await sender.runOnce();
      const [wait] = await maintenance.query<{ seconds: number }>(
        `select extract(epoch from until - clock_timestamp())::float8 as seconds from work`,
      );
      waitedSeconds += wait?.seconds ?? 0;
      await pass(3_600);
    }
    expect(transport.sends).toBe(80);
    expect(waitedSeconds / 86_400).toBeCloseTo(2.9, 0);
    expect(await rows()).toMatchObject([{ state: 'dead', attempts: 80, recipient: null }]);
  });

  it('an e-mail that the last release stored but did not send is sent once', async () => {
    await maintenance.query(
      `insert into mail (id, account_id, recipient, subject, text, html)
       values ($1, $2, 'someone@example.com', 'Older', 'text', '<p>text')`,
      [newId(), newId()],
    );
    await maintenance.query(
      `insert into mail (id, account_id, recipient, subject, text, html, next_try_at)
       values ($1, $2, 'someone@example.com', 'Being sent', 'text', '<p>text', now() + interval '40 s')`,
      [newId(), newId()],
    );
    await sender.runOnce();
    await sender.runOnce();
    expect(transport.sends).toBe(1);
    expect(await rows()).toMatchObject([{ subject: 'Being sent' }]);
  });

  it('an e-mail to an erased account is not sent', async () => {
    const accountId = newId();
    await write(accountId);
    await database.transaction((transaction) => new MailOutbox().forget(transaction, accountId));
    await sender.runOnce();
    expect([transport.sends, await rows()]).toEqual([0, []]);
    expect(await maintenance.query('select from work')).toEqual([]);
  });

  it('a permanently rejected e-mail is abandoned at once, and its content is deleted', async () => {
    const cause = Object.assign(new Error('550 no'), { code: 'EENVELOPE', responseCode: 550 });
    transport.failures.push(new MailRefused('no someone@example.com here', { cause }));
    await write();
    await sender.runOnce();
    await pass(3_600);
    await sender.runOnce();
    expect(transport.sends).toBe(1);
    expect(await rows()).toEqual([
      {
        state: 'dead',
        attempts: 1,
        reason: 'MailRefused EENVELOPE 550',
        recipient: null,
        subject: null,
        text: null,
        html: null,
      },
    ]);
    expect(lines.join()).not.toContain('someone@example.com');
  });

  it('a link that applies to one case follows the sentence about that case', () => {
    const action = { label: 'Set a new password', url: 'https://example.com/', isLast: true };
    const paragraphs = ['A code was used.', 'If this was not you, set a new password.'];
    for (const text of Object.values(
      composeMail('a@example.com', { subject: 'S', paragraphs, action }),
    )) {
      if (!text.includes(action.url)) continue;
      expect(text.indexOf('If this was not you')).toBeLessThan(text.indexOf(action.url));
    }
  });

  it('S66, S82: text quoted in an e-mail is escaped in its HTML', () => {
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
