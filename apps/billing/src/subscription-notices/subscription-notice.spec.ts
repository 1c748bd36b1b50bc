import { describe, expect, it } from '@jest/globals';
import { CATALOGUE_VERSION, FORMER_UNIT_MICROS } from '#libs/contracts';
import { composeMail } from '#libs/mail';
import type { DueNotice, NoticeReason } from './due-notices.repository.js';
import { subscriptionNotice } from './subscription-notice.js';

const DUE: Omit<DueNotice, 'reason'> = {
  about: 'a subscription',
  processor: 'stripe',
  accountId: '01980000-0000-7000-8000-000000000001',
  sku: 'api-15K-month',
  quantity: 1,
  catalogueVersion: CATALOGUE_VERSION,
  interval: 'month',
  currency: 'USD',
  unpaidMicros: '65000000',
  taxPpm: 190_000,
  isTaxDecided: true,
  periodEnd: new Date('2026-12-20T10:00:00Z'),
  paidThrough: new Date('2026-12-20T10:00:00Z'),
  isPaidAhead: false,
  cancelAt: null,
};

/** The subject and the sentences of each e-mail about a subscription. Prices include tax, as charged. */
const MAILS: Record<NoticeReason, [subject: string, ...sentences: string[]]> = {
  change_declined: [
    'Your payment was declined: 65.00 USD is due',
    'the payment of 65.00 USD for the change to API plan 15K was declined. Nothing was charged',
    'Pay in another way, or drop the change',
  ],
  renewal: [
    'API plan 15K renews on 2026-12-20',
    'renews on 2026-12-20 for 32.13 USD. You need not do anything.',
    'Until then you can change or cancel it',
  ],
  payment_failed: [
    'The payment for API plan 15K failed',
    'the payment of 32.13 USD for API plan 15K failed. We will try again.',
    'Everything keeps working until 2026-12-27.',
  ],
  payment_failed_again: [
    'API plan 15K is still not paid',
    'the payment of 32.13 USD for API plan 15K has not succeeded yet.',
    'Everything keeps working until 2026-12-27. Then the plan ends.',
  ],
  last_warning: [
    'Last notice: API plan 15K stops on 2026-12-27',
    'Without a payment of 32.13 USD, it stops on 2026-12-27.',
    'You keep the credits from packages.',
  ],
  ending: [
    'API plan 15K ends on 2026-12-20',
    'ends on 2026-12-20 and is not charged again.',
    'You can undo this until then.',
  ],
  ended: [
    'API plan 15K has ended',
    'It was paid until 2026-12-20.',
    'You can subscribe again at any time.',
  ],
};

describe('e-mails about a subscription', () => {
  it.each(Object.entries(MAILS))('say the same in text and in HTML: %s', (reason, expected) => {
    const due = { ...DUE, reason: reason as NoticeReason };
    const written = subscriptionNotice(due)('Ada', 'https://dashboard.example');
    const { subject, text, html } = composeMail('ada@payer.example', written);
    const [expectedSubject, ...sentences] = expected;
    expect(subject).toBe(expectedSubject);
    for (const sentence of ['Hello Ada', 'https://dashboard.example/', ...sentences]) {
      expect(text).toContain(sentence);
      expect(html).toContain(sentence);
    }
  });

  it.each([
    ['former', 'the plan stays the same', 'the former', '23.80 USD'],
    [null, 'another plan was chosen', 'today’s', '32.13 USD'],
  ])('name, of price list "%s" if %s, %s price', (catalogueVersion, _, __, price) => {
    FORMER_UNIT_MICROS.former = { 'api-15K-month': 20_000_000 };
    const due = { ...DUE, reason: 'renewal' as const, catalogueVersion };
    const { paragraphs } = subscriptionNotice(due)('Ada', 'https://dashboard.example');
    delete FORMER_UNIT_MICROS.former;
    expect(paragraphs[0]).toContain(`renews on 2026-12-20 for ${price}.`);
  });

  it('a plan that was never paid does not keep working', () => {
    const due = { ...DUE, reason: 'payment_failed' as const, paidThrough: null };
    const { paragraphs } = subscriptionNotice(due)('Ada', 'https://dashboard.example');
    expect(paragraphs[1]).toBe(
      'The plan begins once it is paid. Please check your payment details.',
    );
  });
});
