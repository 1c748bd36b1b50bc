import { PROCESSOR_TITLES, type ProcessorAnswer } from '#libs/contracts';
import type { PaymentProcessor, ProcessorName } from './payment-processor.js';

const PAYS_WITH: Readonly<Record<ProcessorName, string>> = {
  stripe: 'Cards and wallets on Stripe’s page; credits also by bank debit.',
  paypal: 'Your PayPal account, or a card on PayPal’s page.',
};

export function toProcessorAnswer({ name, capabilities }: PaymentProcessor): ProcessorAnswer {
  const title = PROCESSOR_TITLES[name];
  const { changesNeedApproval } = capabilities;
  const differences = changesNeedApproval
    ? [
        `You approve each change of a plan on ${title}’s page.`,
        `A higher plan begins once you have approved it and paid the difference there.`,
        `Each product is a separate subscription in your ${title} account.`,
        `To change how you pay, use your ${title} account.`,
        'Changes to your billing details in the 14 days before a renewal take effect one renewal later.',
      ]
    : [];
  return {
    name,
    title,
    pays_with: PAYS_WITH[name],
    changes_need_approval: changesNeedApproval,
    differences,
  };
}
