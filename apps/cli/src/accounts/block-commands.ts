import { type Command, Option } from 'commander';
import { EntitlementClient, OPERATOR_BLOCK_CAUSES, type OperatorBlockCause } from '#libs/contracts';
import { id, laterInstant } from '../arguments.js';
import { audited } from '../audited.js';
import type { CliConfig } from '../cli.config.js';
import { type OutputOptions, answer } from '../output.js';
import { withService } from '../service-calls.js';

interface UnblockOptions extends OutputOptions {
  cause: OperatorBlockCause;
  reason: string;
}

interface BlockOptions extends UnblockOptions {
  until?: string;
}

/** Adds `account block-downloads` and `account unblock-downloads`. A suspension, in contrast, blocks all rights. */
export function blockCommands(account: Command, config: CliConfig): void {
  const cause = () =>
    new Option('--cause <cause>', 'blocks of different causes are lifted independently')
      .choices(OPERATOR_BLOCK_CAUSES)
      .makeOptionMandatory();
  account
    .command('block-downloads')
    .argument('<account-id>', 'as shown by `account find`', id)
    .description(
      'block downloads of database files by an account: they get 403 downloads_blocked; everything else keeps working',
    )
    .addOption(cause())
    .option('--until <time>', 'RFC 3339; if omitted, until the block is lifted', laterInstant)
    .requiredOption('--reason <text>', 'why')
    .action((accountId: string, options: BlockOptions) => block(config, accountId, options));
  account
    .command('unblock-downloads')
    .argument('<account-id>', 'as shown by `account find`', id)
    .description('lift the blocks of one cause; a suspension stays in force')
    .addOption(cause())
    .requiredOption('--reason <text>', 'why')
    .action((accountId: string, options: UnblockOptions) => unblock(config, accountId, options));
}

async function block(
  config: CliConfig,
  accountId: string,
  { cause, until, reason, ...output }: BlockOptions,
): Promise<void> {
  const order = { accountId, order: 'block-downloads', object: `cause:${cause}`, reason } as const;
  await audited(config, order, () =>
    withService(config, 'entitlement', (http) =>
      new EntitlementClient(http).block(accountId, {
        cause,
        blocks: ['downloads'],
        reason,
        to: until,
      }),
    ),
  );
  answer(output, { accountId, cause, until: until ?? null }, () => [
    `downloads blocked (${cause}) until ${until ?? 'the block is lifted'}`,
  ]);
}

async function unblock(
  config: CliConfig,
  accountId: string,
  { cause, reason, ...output }: UnblockOptions,
): Promise<void> {
  const object = `cause:${cause}`;
  const order = { accountId, order: 'unblock-downloads', object, reason } as const;
  await audited(config, order, () =>
    withService(config, 'entitlement', (http) =>
      new EntitlementClient(http).liftBlock(accountId, cause),
    ),
  );
  answer(output, { accountId, cause }, () => [`downloads are no longer blocked (${cause})`]);
}
