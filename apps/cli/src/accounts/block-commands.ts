import { type Command, Option } from 'commander';
import { EntitlementClient, OPERATOR_BLOCK_CAUSES, type OperatorBlockCause } from '#libs/contracts';
import { id, laterInstant } from '../arguments.js';
import { audited } from '../audited.js';
import type { CliConfig } from '../cli.config.js';
import { type OutputOptions, answer } from '../output.js';
import { withService } from '../service-calls.js';

/** A suspension blocks everything, purchases too. */
const PARTS = ['api', 'downloads'] as const;

interface UnblockOptions extends OutputOptions {
  cause: OperatorBlockCause;
  reason: string;
}

interface BlockOptions extends UnblockOptions {
  part: (typeof PARTS)[number];
  until?: string;
}

/** `account block` and `account unblock`: one part of the product, for one cause. */
export function blockCommands(account: Command, config: CliConfig): void {
  const cause = () =>
    new Option('--cause <cause>', 'blocks of different causes are lifted independently')
      .choices(OPERATOR_BLOCK_CAUSES)
      .makeOptionMandatory();
  account
    .command('block')
    .argument('<account-id>', 'as shown by `account find`', id)
    .description('block the API or the database files: 403, within a second; nothing else changes')
    .addOption(new Option('--part <part>', 'what is blocked').choices(PARTS).makeOptionMandatory())
    .addOption(cause())
    .option('--until <time>', 'RFC 3339; by default, until it is lifted', laterInstant)
    .requiredOption('--reason <text>', 'why')
    .option('--json', 'as JSON')
    .action((accountId: string, options: BlockOptions) => block(config, accountId, options));
  account
    .command('unblock')
    .argument('<account-id>', 'as shown by `account find`', id)
    .description('lift every block of one cause; suspensions stay')
    .addOption(cause())
    .requiredOption('--reason <text>', 'why')
    .option('--json', 'as JSON')
    .action((accountId: string, options: UnblockOptions) => unblock(config, accountId, options));
}

async function block(
  config: CliConfig,
  accountId: string,
  { part, cause, until, reason, ...output }: BlockOptions,
): Promise<void> {
  const order = { accountId, order: 'block-access', object: `part:${part}`, reason } as const;
  const body = { cause, blocks: [part], reason, to: until };
  await audited(config, order, () =>
    withService(config, 'entitlement', (http) =>
      new EntitlementClient(http).block(accountId, body),
    ),
  );
  answer(output, { accountId, part, cause, until: until ?? null }, () => [
    `${part} blocked (${cause}) ${until === undefined ? 'until the block is lifted' : `until ${until}`}`,
  ]);
}

async function unblock(
  config: CliConfig,
  accountId: string,
  { cause, reason, ...output }: UnblockOptions,
): Promise<void> {
  const order = { accountId, order: 'lift-block', object: `cause:${cause}`, reason } as const;
  await audited(config, order, () =>
    withService(config, 'entitlement', (http) =>
      new EntitlementClient(http).liftBlock(accountId, cause),
    ),
  );
  answer(output, { accountId, cause }, () => [`nothing is blocked any more because of ${cause}`]);
}
