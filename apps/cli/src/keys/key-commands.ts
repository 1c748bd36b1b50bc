import type { Command } from 'commander';
import { AccountDeskClient, type KeyAnswer } from '#libs/contracts';
import { id } from '../arguments.js';
import { inspected } from '../audited.js';
import type { CliConfig } from '../cli.config.js';
import { operatorName } from '../operator.js';
import { type OutputOptions, answer } from '../output.js';
import { withService } from '../service-calls.js';

/** Adds `keys`, which lists and revokes an account's API keys, without showing their values. */
export function keyCommands(program: Command, config: CliConfig): void {
  const keys = program.command('keys').description('API keys of an account');
  keys
    .command('list')
    .argument('<account-id>', 'as shown by `account find`', id)
    .description('list the newest keys of an account, including ended ones')
    .action((accountId: string, options: OutputOptions) => list(config, accountId, options));
  keys
    .command('revoke')
    .argument('<account-id>', 'as shown by `account find`', id)
    .argument('<key-id>', 'as shown by `keys list`', id)
    .description('revoke a key permanently; requests with it get 401 within a second')
    .action((accountId: string, keyId: string, options: OutputOptions) =>
      revoke(config, accountId, keyId, options),
    );
}

async function list(config: CliConfig, accountId: string, options: OutputOptions): Promise<void> {
  await inspected(config, accountId);
  const keys = await withService(config, 'account', (http) =>
    new AccountDeskClient(http, operatorName(config)).keys(accountId),
  );
  answer(options, keys, (all) =>
    all.length === 0 ? ['This account has no key.'] : all.map(keyLine),
  );
}

async function revoke(
  config: CliConfig,
  accountId: string,
  keyId: string,
  options: OutputOptions,
): Promise<void> {
  const revoked = await withService(config, 'account', (http) =>
    new AccountDeskClient(http, operatorName(config)).revokeKey(accountId, keyId),
  );
  answer(options, revoked, (key) => [keyLine(key)]);
}

function keyLine({ id: keyId, masked, name, state, last_used_at: used }: KeyAnswer): string {
  return `${keyId}  ${masked}  ${state}  "${name}", used ${used ?? 'never'}`;
}
