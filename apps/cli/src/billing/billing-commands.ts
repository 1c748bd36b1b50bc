import { type Command, Option } from 'commander';
import {
  BillingClient,
  type PaymentAnswer,
  type RefundAnswer,
  type RefundOrder,
} from '#libs/contracts';
import { counted, newId } from '#libs/platform';
import { amountMicros, id, instant } from '../arguments.js';
import type { CliConfig } from '../cli.config.js';
import { audited, inspected, repeatable } from '../audited.js';
import { type OutputOptions, answer } from '../output.js';
import { withService } from '../service-calls.js';
import { affairCommands } from './affair-commands.js';

type RefundOptions = Pick<RefundOrder, 'scope' | 'from' | 'reason'> &
  OutputOptions & {
    id: string;
    /** The amount in millionths. */
    amount?: string;
  };

type ReasonedOptions = OutputOptions & { reason: string };

const MICROS = 1_000_000;

export function billingCommands(program: Command, config: CliConfig): void {
  const billing = program.command('billing').description('payments and refunds');
  billing
    .command('payments')
    .argument('<account-id>', 'as shown by `account find`', id)
    .description('list the latest payments of an account, with refunds and disputes')
    .action((accountId: string, options: OutputOptions) =>
      listPayments(config, accountId, options),
    );
  billing
    .command('reconcile')
    .description('compare billing with entitlement and the processors, as the daily run does')
    .option('--reason <text>', 'why', 'by hand')
    .action((options: ReasonedOptions) => reconcile(config, options));
  billing
    .command('set-aside')
    .description(
      'list the work that billing cannot finish on its own, oldest first, with the reason',
    )
    .action((options: OutputOptions) => listSetAside(config, options));
  billing
    .command('replay <callback-id>')
    .description("fetch the object of a callback again, by our id or the processor's event id")
    .requiredOption('--reason <text>', 'why')
    .action((callbackId: string, options: ReasonedOptions) => replay(config, callbackId, options));
  billing
    .command('refund')
    .argument('<account-id>', 'as shown by `account find`', id)
    .argument('<payment-id>', 'as shown by `billing payments`', id)
    .description('refund a payment; a repeat with the same --id has no effect')
    .addOption(
      new Option('--scope <scope>', 'whole: any amount; remaining: the rest of a period')
        .choices(['whole', 'remaining'])
        .makeOptionMandatory(),
    )
    .requiredOption('--reason <text>', 'why')
    .option(
      '--amount <number>',
      'for a whole refund, such as 12.50; if omitted, all that is left',
      amountMicros,
    )
    .option('--from <time>', 'RFC 3339, for a remaining refund; if omitted, now', instant)
    .addOption(new Option('--id <uuid>', 'id of the refund').default(newId(), 'a new one'))
    .action((accountId: string, paymentId: string, options: RefundOptions) =>
      refund(config, accountId, paymentId, options),
    );
  addDecisions(billing, config);
  affairCommands(billing, config);
}

const DECISIONS = {
  'retry-refund': 'retry a failed refund now, with its amount and scope',
  'dismiss-refund':
    'close a refund that failed or that the processor never confirmed; it is not tried again',
} as const;

function addDecisions(billing: Command, config: CliConfig): void {
  for (const order of ['retry-refund', 'dismiss-refund'] as const) {
    billing
      .command(order)
      .argument('<account-id>', 'as shown by `billing set-aside`', id)
      .argument('<refund-id>', 'as shown by `billing set-aside` or `billing payments`', id)
      .description(DECISIONS[order])
      .requiredOption('--reason <text>', 'why')
      .action((accountId: string, refundId: string, options: ReasonedOptions) =>
        decide(config, { order, accountId, refundId }, options),
      );
  }
}

async function decide(
  config: CliConfig,
  wish: { order: keyof typeof DECISIONS; accountId: string; refundId: string },
  { reason, json }: ReasonedOptions,
): Promise<void> {
  const { order, accountId, refundId } = wish;
  const noted = { accountId, order, object: `refund:${refundId}`, reason };
  const made = await audited(config, noted, () =>
    withService(config, 'billing', (http) =>
      order === 'retry-refund'
        ? new BillingClient(http).retryRefund(accountId, refundId)
        : new BillingClient(http).dismissRefund(accountId, refundId),
    ),
  );
  answer({ json }, made, (refunded) =>
    order === 'retry-refund' ? refundLines(refunded) : ['This refund will not be retried.'],
  );
}

async function listPayments(
  config: CliConfig,
  accountId: string,
  options: OutputOptions,
): Promise<void> {
  await inspected(config, accountId);
  const { payments } = await withService(config, 'billing', (http) =>
    new BillingClient(http).payments(accountId),
  );
  answer(options, payments, (list) =>
    list.length === 0 ? ['This account has paid nothing yet.'] : list.flatMap(paymentLines),
  );
}

function paymentLines(payment: PaymentAnswer): string[] {
  const { paymentId, amountMicros: paid, currency, confirmedAt, lines, reversals } = payment;
  const { processor, externalId } = payment;
  const bought = lines.map(({ sku, quantity }) => `${quantity} × ${sku}`).join(', ');
  return [
    `${paymentId}  ${confirmedAt}  ${amountOf(paid)} ${currency}  ${bought}, by ${processor} ${externalId}`,
    ...reversals.map(({ refundId, cause, state, scope, credits, amountMicros: taken, retryAt }) => {
      const what =
        scope === 'remaining' ? 'the rest of a period' : taken === paid ? 'all' : 'a part';
      const again = retryAt === undefined ? '' : `, retried at ${retryAt}`;
      return `  ${cause} ${refundId} ${state}: ${amountOf(taken)} ${currency}, ${what}${creditsText(credits)}${again}`;
    }),
  ];
}

async function listSetAside(config: CliConfig, options: OutputOptions): Promise<void> {
  const waiting = await withService(config, 'billing', (http) =>
    new BillingClient(http).setAside(),
  );
  answer(options, waiting, (list) =>
    list.length === 0
      ? ['Nothing is set aside.']
      : list.map(({ kind, id: what, accountId, since, reason }) => {
          const whose = accountId === null ? '' : ` of account ${accountId}`;
          return `${kind}: ${what}${whose} since ${since ?? 'the start'}: ${reason ?? 'no reason'}`;
        }),
  );
}

async function replay(
  config: CliConfig,
  callbackId: string,
  { reason, ...output }: ReasonedOptions,
): Promise<void> {
  const object = `callback:${callbackId}`;
  const made = await audited(config, { order: 'replay-callback', object, reason }, () =>
    withService(config, 'billing', (http) => new BillingClient(http).replayCallback(callbackId)),
  );
  answer(output, made, ({ processor, kind, externalId, result }) => [
    `${processor} ${kind} ${externalId}: ${result}`,
  ]);
  if (made.result !== 'synced') process.exitCode = 1;
}

async function reconcile(config: CliConfig, { reason, ...output }: ReasonedOptions): Promise<void> {
  const run = await audited(config, { order: 'reconcile', object: 'billing:all', reason }, () =>
    withService(config, 'billing', (http) => new BillingClient(http).reconcile()),
  );
  const { runId, lines, payments, subscriptions, findings } = run;
  const open = findings.filter(({ isHealed }) => !isHealed).length;
  answer(output, run, () => [
    ...findings.map(
      ({ kind, accountId, subject, detail, isHealed }) =>
        `${isHealed ? 'healed' : 'open  '}  ${kind}  ${accountId}  ${subject}: ${detail}`,
    ),
    `run ${runId}: ${counted(lines, 'line')}, ${counted(payments, 'payment')}, ${counted(subscriptions, 'subscription')} compared; ` +
      `${findings.length - open} healed, ${open} open`,
  ]);
  if (open > 0) process.exitCode = 1;
}

async function refund(
  config: CliConfig,
  accountId: string,
  paymentId: string,
  { id: refundId, amount, json, ...wish }: RefundOptions,
): Promise<void> {
  const { reason } = wish;
  const order = { accountId, order: 'refund', object: `refund:${refundId}`, reason } as const;
  const made = await audited(config, order, () =>
    repeatable(refundId, () =>
      withService(config, 'billing', (http) =>
        new BillingClient(http).refund(accountId, {
          ...wish,
          refundId,
          paymentId,
          amountMicros: amount,
        }),
      ),
    ),
  );
  answer({ json }, made, (refunded) => refundLines(refunded));
}

const refundLines = ({
  refundId,
  amountMicros: given,
  state,
  credits,
  plan,
  from,
}: RefundAnswer) => [
  `${amountOf(given)} refunded, ${state}${creditsText(credits)} (refund ${refundId})`,
  ...(plan === undefined ? [] : [PLAN_TEXTS[plan](from)]),
];

const PLAN_TEXTS: Record<NonNullable<RefundAnswer['plan']>, (from?: string) => string> = {
  ends: (from) =>
    `The plan ends, and its credits from ${from ?? 'the beginning of the period'} on are revoked. Used credits become a debt.`,
  set_back: (from) =>
    `The upgrade is undone, and its credits from ${from ?? 'its beginning'} on are revoked; the previous plan continues.`,
  stays: () => 'The plan continues; the same share of the credits of its period is revoked.',
};

const creditsText = (credits: string) =>
  credits === '0' ? '' : `, ${counted(BigInt(credits), 'credit')} revoked`;
const amountOf = (micros: string) => (Number(micros) / MICROS).toFixed(2);
