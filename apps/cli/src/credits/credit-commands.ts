import { type Command, Option } from 'commander';
import {
  type BalanceExplanation,
  EntitlementClient,
  OVERRIDABLE_LIMITS,
  type OverridableLimit,
} from '#libs/contracts';
import { counted, newId } from '#libs/platform';
import { audited, inspected, repeatable } from '../audited.js';
import { id, laterInstant, wholeNumber } from '../arguments.js';
import type { CliConfig } from '../cli.config.js';
import { type OutputOptions, answer } from '../output.js';
import { withService } from '../service-calls.js';

interface GrantOptions extends OutputOptions {
  reason: string;
  id: string;
  expires?: string;
}

interface RevokeOptions extends OutputOptions {
  reason: string;
  id: string;
}

interface OverrideOptions extends OutputOptions {
  reason: string;
  until: string;
}

interface LiftOptions extends OutputOptions {
  reason: string;
  limit: OverridableLimit;
}

/** Adds `credits` and `limits`. Every change needs a reason. */
export function creditCommands(program: Command, config: CliConfig): void {
  const credits = program.command('credits').description('credits of an account');
  credits
    .command('revoke')
    .argument('<account-id>', 'as shown by `account find`', id)
    .argument('<credits>', 'how many; if fewer are spendable, all of them', wholeNumber)
    .description('revoke spendable credits; a repeat with the same --id has no effect')
    .requiredOption('--reason <text>', 'reason, for the ledger')
    .addOption(new Option('--id <uuid>', 'id of the revocation').default(newId(), 'a new one'))
    .action((accountId: string, amount: number, options: RevokeOptions) =>
      revoke(config, accountId, amount, options),
    );
  credits
    .command('grant')
    .argument('<account-id>', 'as shown by `account find`', id)
    .argument('<credits>', 'how many', wholeNumber)
    .description('grant credits; a repeat with the same --id has no effect')
    .requiredOption('--reason <text>', 'reason, for the ledger')
    .addOption(new Option('--id <uuid>', 'id of the adjustment').default(newId(), 'a new one'))
    .option('--expires <time>', 'RFC 3339; if omitted, the credits never expire', laterInstant)
    .action((accountId: string, amount: number, options: GrantOptions) =>
      grant(config, accountId, amount, options),
    );
  credits
    .command('explain')
    .argument('<account-id>', 'as shown by `account find`', id)
    .description('explain the credits of an account; exits with 1 if the lines do not add up')
    .action((accountId: string, options: OutputOptions) => explain(config, accountId, options));
  credits
    .command('set-aside')
    .description('list accounts and leases that cannot be booked; each is retried automatically')
    .action((options: OutputOptions) => listSetAside(config, options));
  const limits = program.command('limits').description('limits of an account');
  limits
    .command('lift')
    .argument('<account-id>', 'as shown by `account find`', id)
    .description(
      'end all overrides of one limit, so that the account again has the limit that it bought',
    )
    .addOption(
      new Option('--limit <name>', 'requests a minute, keys or monitors')
        .choices(OVERRIDABLE_LIMITS)
        .makeOptionMandatory(),
    )
    .requiredOption('--reason <text>', 'why')
    .action((accountId: string, options: LiftOptions) => lift(config, accountId, options));
  limits
    .command('override')
    .argument('<account-id>', 'as shown by `account find`', id)
    .description('replace one computed limit until a time')
    .addOption(
      new Option('--limit <name>', 'requests a minute, keys or monitors')
        .choices(OVERRIDABLE_LIMITS)
        .makeOptionMandatory(),
    )
    .requiredOption('--value <number>', 'the new limit', wholeNumber)
    .requiredOption('--until <time>', 'RFC 3339', laterInstant)
    .requiredOption('--reason <text>', 'why')
    .action(
      (accountId: string, options: OverrideOptions & { limit: OverridableLimit; value: number }) =>
        override(config, accountId, options),
    );
}

async function grant(
  config: CliConfig,
  accountId: string,
  amount: number,
  { id, reason, expires, ...output }: GrantOptions,
): Promise<void> {
  const object = `adjustment:${id}`;
  const order = { accountId, order: 'grant-credits', object, reason } as const;
  const { isNew } = await audited(config, order, () =>
    repeatable(id, () =>
      withService(config, 'entitlement', (http) =>
        new EntitlementClient(http).grantByOperator(accountId, {
          adjustmentId: id,
          amount,
          reason,
          expiresAt: expires,
        }),
      ),
    ),
  );
  answer(output, { adjustmentId: id, amount, isNew }, () => {
    const text = isNew
      ? `${counted(amount, 'credit')} granted`
      : 'already granted; nothing changed';
    return [`${text} (adjustment ${id})`];
  });
}

async function revoke(
  config: CliConfig,
  accountId: string,
  amount: number,
  { id, reason, ...output }: RevokeOptions,
): Promise<void> {
  const object = `revocation:${id}`;
  const order = { accountId, order: 'revoke-credits', object, reason } as const;
  const { isNew, revoked } = await audited(config, order, () =>
    repeatable(id, () =>
      withService(config, 'entitlement', (http) =>
        new EntitlementClient(http).revokeByOperator(accountId, {
          revocationId: id,
          amount,
          reason,
        }),
      ),
    ),
  );
  answer(output, { revocationId: id, revoked, isNew }, () => {
    const text = isNew
      ? `${counted(revoked, 'credit')} revoked`
      : `${counted(revoked, 'credit')} already revoked; nothing changed`;
    return [`${text} (revocation ${id})`];
  });
}

async function explain(
  config: CliConfig,
  accountId: string,
  options: OutputOptions,
): Promise<void> {
  await inspected(config, accountId);
  const explanation = await withService(config, 'entitlement', (http) =>
    new EntitlementClient(http).explainBalance(accountId),
  );
  answer(options, explanation, explanationLines);
  if (explanation.unexplained !== 0) process.exitCode = 1;
}

/**
 * The texts for kinds whose names are not shown. An operator's revocation and a refund have the same kind, so one text
 * must fit both.
 */
const KIND_TEXTS: Readonly<Record<string, string>> = { refund: 'revoked' };

function explanationLines({ lines, balance, total, unexplained }: BalanceExplanation): string[] {
  const row = (credits: number, text: string) => `${String(credits).padStart(12)}  ${text}`;
  const { spendable, frozen, reserved, unbooked, debt } = balance;
  return [
    ...lines.map(({ from, to, kind, reference, amount, lines: count }) => {
      const days = [...new Set([from.slice(0, 10), to.slice(0, 10)])].join(' to ');
      return row(
        amount,
        `${days}  ${KIND_TEXTS[kind] ?? kind} ${reference}${count > 1 ? ` (${count} lines)` : ''}`,
      );
    }),
    row(total, 'in total, of which'),
    row(spendable, 'spendable'),
    row(frozen, 'frozen by the deletion of the account'),
    row(reserved, 'set aside for requests and jobs'),
    row(unbooked, 'used, and booked within a minute'),
    row(-debt, 'owed: used, and refunded since'),
    ...(unexplained === 0 ? [] : [row(unexplained, 'NOT EXPLAINED by any line')]),
  ];
}

async function listSetAside(config: CliConfig, options: OutputOptions): Promise<void> {
  const [accounts, leases] = await withService(config, 'entitlement', (http) => {
    const client = new EntitlementClient(http);
    return Promise.all([client.setAsideAccounts(), client.setAsideLeases()]);
  });
  answer(options, { accounts, leases }, () => [
    ...accounts.map(
      ({ accountId, since, failures, reason }) =>
        `account ${accountId} since ${since}, ${counted(failures, 'failure')}: ${reason}`,
    ),
    ...leases.map(({ accountId, leaseId, reported, failures, reason }) => {
      const use = `${counted(reported, 'credit')} used, ${counted(failures, 'failure')}`;
      return `lease ${leaseId} of account ${accountId}, ${use}: ${reason}`;
    }),
  ]);
  // The message goes to stderr, so that a script that reads the list gets an empty list.
  if (accounts.length + leases.length === 0) process.stderr.write('Nothing is set aside.\n');
}

async function override(
  config: CliConfig,
  accountId: string,
  options: OverrideOptions & { limit: OverridableLimit; value: number },
): Promise<void> {
  const { limit, value, reason, until } = options;
  const order = { accountId, order: 'override-limit', object: `limit:${limit}`, reason } as const;
  await audited(config, order, () =>
    withService(config, 'entitlement', (http) =>
      new EntitlementClient(http).overrideLimit(accountId, {
        name: limit,
        value,
        reason,
        until,
      }),
    ),
  );
  answer(options, { accountId, limit, value, until }, () => [
    `${limit} is ${value} until ${until}`,
  ]);
}

async function lift(
  config: CliConfig,
  accountId: string,
  { limit, reason, ...output }: LiftOptions,
): Promise<void> {
  const order = { accountId, order: 'lift-override', object: `limit:${limit}`, reason } as const;
  const { hasChanged } = await audited(config, order, () =>
    withService(config, 'entitlement', (http) =>
      new EntitlementClient(http).liftOverride(accountId, limit),
    ),
  );
  answer(output, { accountId, limit, hasChanged }, () => [
    hasChanged ? `${limit} is no longer overridden` : `${limit} was not overridden`,
  ]);
}
