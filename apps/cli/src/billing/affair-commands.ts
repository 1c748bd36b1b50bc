import type { Command } from 'commander';
import { BillingClient, type SubscriptionAnswer } from '#libs/contracts';
import { id } from '../arguments.js';
import { audited, inspected } from '../audited.js';
import type { CliConfig } from '../cli.config.js';
import { type OutputOptions, answer } from '../output.js';
import { withService } from '../service-calls.js';

type ReasonedOptions = OutputOptions & { reason: string };

export function affairCommands(billing: Command, config: CliConfig): void {
  billing
    .command('subscriptions')
    .argument('<account-id>', 'as shown by `account find`', id)
    .description('list the subscriptions of an account, including ended ones')
    .action((accountId: string, options: OutputOptions) => list(config, accountId, options));
  billing
    .command('cancel')
    .argument('<account-id>', 'as shown by `account find`', id)
    .argument('<subscription-id>', 'as shown by `billing subscriptions`', id)
    .description(
      'cancel a subscription at the end of its paid period, as the customer can; to end it now, refund the rest',
    )
    .requiredOption('--reason <text>', 'why')
    .action((accountId: string, subscriptionId: string, options: ReasonedOptions) =>
      cancel(config, accountId, subscriptionId, options),
    );
  billing
    .command('resend-receipt')
    .argument('<account-id>', 'as shown by `account find`', id)
    .argument(
      '<number>',
      'number of an invoice, a credit note or a debit note, such as INV-2026-000042',
    )
    .description('send the e-mail about an invoice or note again, to the current address')
    .requiredOption('--reason <text>', 'why')
    .action((accountId: string, number: string, options: ReasonedOptions) =>
      resend(config, accountId, number, options),
    );
}

async function list(config: CliConfig, accountId: string, options: OutputOptions): Promise<void> {
  await inspected(config, accountId);
  const subscriptions = await withService(config, 'billing', (http) =>
    new BillingClient(http).subscriptions(accountId),
  );
  answer(options, subscriptions, (all) =>
    all.length === 0 ? ['This account has no subscription.'] : all.map(subscriptionLine),
  );
}

function subscriptionLine(subscription: SubscriptionAnswer): string {
  const { id: subscriptionId, sku, quantity, state, paid_through: paid } = subscription;
  const ends = subscription.cancel_at === null ? '' : `, ends at ${subscription.cancel_at}`;
  return `${subscriptionId}  ${quantity} × ${sku}  ${state}, paid until ${paid ?? 'never'}${ends}`;
}

async function cancel(
  config: CliConfig,
  accountId: string,
  subscriptionId: string,
  { reason, ...output }: ReasonedOptions,
): Promise<void> {
  const object = `subscription:${subscriptionId}`;
  const order = { accountId, order: 'cancel-subscription', object, reason } as const;
  const { subscription } = await audited(config, order, () =>
    withService(config, 'billing', (http) =>
      new BillingClient(http).cancelSubscription(accountId, subscriptionId),
    ),
  );
  answer(output, subscription, (row) => [subscriptionLine(row)]);
}

async function resend(
  config: CliConfig,
  accountId: string,
  number: string,
  { reason, ...output }: ReasonedOptions,
): Promise<void> {
  const order = {
    accountId,
    order: 'resend-receipt',
    object: `invoice:${number}`,
    reason,
  } as const;
  const sent = await audited(config, order, () =>
    withService(config, 'billing', (http) =>
      new BillingClient(http).resendReceipt(accountId, number),
    ),
  );
  answer(output, sent, () => [`The e-mail about ${number} will be sent again.`]);
}
