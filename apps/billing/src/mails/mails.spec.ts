import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { InvoiceKind } from '#libs/contracts';
import { Database } from '#libs/database';
import { composeMail } from '#libs/mail';
import { newId } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { MailsService } from './mails.service.js';
import { receiptMail } from './receipt-mail.js';

const ORIGIN = 'https://dashboard.example';

function receipt(kind: InvoiceKind, { firstName = 'Ada', carriedMicros = 0n } = {}) {
  const facts = {
    kind,
    corrects: kind === 'invoice' ? null : 'INV-2026-000042',
    totalMicros: 1_234_500_000n,
    carriedMicros,
    currency: 'USD',
    lines: [{ text: '450,000 credits' }],
  };
  const receipt = receiptMail(facts, 'INV-2026-000043')(firstName, ORIGIN);
  return composeMail('ada@payer.example', receipt);
}

describe('e-mails about money', () => {
  let billing: BillingUnderTest;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
  });
  afterAll(() => billing.stop());

  it.each([
    [
      'invoice',
      'Receipt: 1,234.50 USD, invoice INV-2026-000043',
      ['we have received 1,234.50 USD', '450,000 credits', 'INV-2026-000043'],
    ],
    [
      'credit_note',
      'Returned: 1,234.50 USD, credit note INV-2026-000043',
      ['1,234.50 USD of invoice INV-2026-000042 went back to you', 'bank may need a few days'],
    ],
    [
      'debit_note',
      'Correction: 1,234.50 USD, debit note INV-2026-000043',
      ['1,234.50 USD of invoice INV-2026-000042 was not refunded after all'],
    ],
  ] as const)('the e-mail about %s says the same in text and HTML', (kind, subject, sentences) => {
    const mail = receipt(kind);
    expect(mail.subject).toBe(subject);
    for (const sentence of ['Hello Ada', `${ORIGIN}/invoices`, ...sentences]) {
      expect(mail.text).toContain(sentence);
      expect(mail.html).toContain(sentence);
    }
  });

  it.each([
    ['a coupon paid a part', -234_500_000n, '1,000.00 USD'],
    ['nothing was due', -1_234_500_000n, '0.00 USD'],
    ['an earlier bill was paid as well', 280_000n, '1,234.78 USD'],
  ])('the receipt names the amount that was paid if %s', (_, carriedMicros, paid) => {
    const { subject, text } = receipt('invoice', { carriedMicros });
    expect(subject).toBe(`Receipt: ${paid}, invoice INV-2026-000043`);
    expect(text).toContain(`we have received ${paid}.`);
  });

  it('S66: markup in a name stays text in both parts', () => {
    const { html, text } = receipt('invoice', { firstName: '<img src=x onerror=alert(1)>' });
    expect(html).not.toContain('<img');
    expect(text).toContain('<img src=x');
  });

  it('simultaneous sends about one occasion queue one e-mail, and a rolled-back send queues none', async () => {
    const accountId = billing.newAccount();
    const contact = { accountId, ...billing.contacts.contactOf(accountId) };
    const mails = billing.get(MailsService);
    const mail = () => ({ subject: 'Once', paragraphs: ['Once.'] });
    const about = `test:${newId()}`;
    const rolledBack = billing.get(Database).transaction(async (transaction) => {
      await mails.send(transaction, contact, { about, mail });
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow('no');
    const write = () =>
      billing
        .get(Database)
        .transaction((transaction) => mails.send(transaction, contact, { about, mail }));
    await Promise.all([write(), write(), write()]);
    expect(await billing.deliverMail(accountId)).toHaveLength(1);
  });

  it('an erasure removes unsent e-mails', async () => {
    const accountId = billing.newAccount();
    const contact = { accountId, ...billing.contacts.contactOf(accountId) };
    const mail = () => ({ subject: 'Late', paragraphs: ['Late.'] });
    await billing
      .get(Database)
      .transaction((transaction) =>
        billing.get(MailsService).send(transaction, contact, { about: 'test', mail }),
      );
    await billing.deliver('erased', accountId);
    expect(await billing.deliverMail(accountId)).toEqual([]);
  });
});
