import {
  CATALOGUE_VERSION,
  GRACE_MS,
  type SubscriptionPlan,
  planOfSku,
  unitMicrosIn,
} from '#libs/contracts';
import type { MailForPerson } from '../mails/mails.service.js';
import { moneyText } from '../pricing/money-text.js';
import { withTax } from '../tax/tax-rates.js';
import type { DueNotice } from './due-notices.repository.js';

export function subscriptionNotice(due: DueNotice): MailForPerson {
  const plan = planOfSku(due.sku);
  const name = nameOf(due, plan);
  if (due.reason === 'change_declined') return declinedChange(due, name);
  if (due.reason === 'ended') return endedPlan(due, name);
  const price = plan && priceText(due, plan);
  const rightsEnd = day(graceEnd(due));
  const { reason } = due;
  return (firstName, dashboardUrl) => {
    const seeIt = { label: 'View your subscriptions', url: `${dashboardUrl}/subscriptions` };
    const pay = { ...seeIt, label: 'Check your payment details' };
    switch (reason) {
      case 'renewal':
        return {
          subject: `${name} renews on ${day(due.periodEnd)}`,
          paragraphs: [
            `Hello ${firstName}, ${name} renews on ${day(due.periodEnd)} for ${price}. You need not do anything.`,
            'Until then you can change or cancel it in the dashboard.',
          ],
          action: seeIt,
        };
      case 'payment_failed':
        return {
          subject: `The payment for ${name} failed`,
          paragraphs: [
            `Hello ${firstName}, the payment of ${price} for ${name} failed. We will try again.`,
            afterFailure(due),
          ],
          action: pay,
        };
      case 'payment_failed_again':
        return {
          subject: `${name} is still not paid`,
          paragraphs: [
            `Hello ${firstName}, the payment of ${price} for ${name} has not succeeded yet.`,
            `Everything keeps working until ${rightsEnd}. Then the plan ends.`,
          ],
          action: pay,
        };
      case 'last_warning':
        return {
          subject: `Last notice: ${name} stops on ${rightsEnd}`,
          paragraphs: [
            `Hello ${firstName}, ${name} is not paid. Without a payment of ${price}, it stops on ${rightsEnd}.`,
            'You keep the credits from packages.',
          ],
          action: pay,
        };
      case 'ending':
        return {
          subject: `${name} ends on ${day(due.cancelAt ?? due.periodEnd)}`,
          paragraphs: [
            `Hello ${firstName}, ${name} ends on ${day(due.cancelAt ?? due.periodEnd)} and is not charged again.`,
            'You can undo this until then. You keep the credits from packages.',
          ],
          action: { ...seeIt, label: 'Keep it' },
        };
    }
  };
}

function priceText(
  { catalogueVersion, taxPpm, quantity, currency }: DueNotice,
  plan: SubscriptionPlan,
): string {
  const unitMicros = unitMicrosIn(catalogueVersion ?? CATALOGUE_VERSION, plan);
  return `${moneyText(withTax(BigInt(unitMicros), taxPpm) * BigInt(quantity))} ${currency}`;
}

function nameOf({ sku, quantity }: DueNotice, plan: SubscriptionPlan | undefined): string {
  const name = plan?.name ?? sku;
  return quantity > 1 ? `${name} × ${quantity}` : name;
}

const day = (date: Date) => date.toISOString().slice(0, 10);

const graceEnd = ({ paidThrough, periodEnd }: DueNotice) =>
  new Date((paidThrough ?? periodEnd).getTime() + GRACE_MS);

/** Returns the sentences about the time after a failed payment: a plan that was never paid gives no rights. */
const afterFailure = (due: DueNotice) =>
  due.paidThrough === null
    ? 'The plan begins once it is paid. Please check your payment details.'
    : `Everything keeps working until ${day(graceEnd(due))}. Please check your payment details before then.`;

/**
 * Composes the e-mail about a declined change. The plan stays the same; the e-mail says how much is due, and where to
 * pay it or drop the change.
 */
function declinedChange({ unpaidMicros, currency }: DueNotice, name: string): MailForPerson {
  const open = `${moneyText(BigInt(unpaidMicros ?? 0))} ${currency}`;
  return (firstName, dashboardUrl) => ({
    subject: `Your payment was declined: ${open} is due`,
    paragraphs: [
      `Hello ${firstName}, the payment of ${open} for the change to ${name} was declined. Nothing was charged, and your plan stays the same.`,
      'Pay in another way, or drop the change, in the dashboard.',
    ],
    action: { label: 'Pay or drop the change', url: `${dashboardUrl}/subscriptions` },
  });
}

/** A plan that was cancelled at the processor has ended there, but works until the end of the paid time. */
function endedPlan(
  { isPaidAhead, paidThrough, periodEnd }: DueNotice,
  name: string,
): MailForPerson {
  const until = day(paidThrough ?? periodEnd);
  return (firstName, dashboardUrl) => ({
    subject: isPaidAhead ? `${name} ends on ${until}` : `${name} has ended`,
    paragraphs: [
      isPaidAhead
        ? `Hello ${firstName}, ${name} is cancelled and is not charged again. It works until ${until}.`
        : `Hello ${firstName}, ${name} has ended. It was paid until ${until}.`,
      'You can subscribe again at any time. You keep the credits from packages.',
    ],
    action: { label: 'View the plans', url: `${dashboardUrl}/plans` },
  });
}
