import type { Command } from 'commander';
import { AccountDeskClient, EntitlementClient, type KeyAnswer } from '#libs/contracts';
import { Problem } from '#libs/platform';
import { id } from '../arguments.js';
import { inspected } from '../audited.js';
import type { CliConfig } from '../cli.config.js';
import { operatorName } from '../operator.js';
import { type OutputOptions, answer } from '../output.js';
import { withService } from '../service-calls.js';

/** A key, and whether it is refused because older keys use up the plan's number; null if entitlement is unavailable. */
export type ListedKey = KeyAnswer & { is_paused: boolean | null };

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
  const allowed = await allowedKeys(config, accountId);
  const listed = keys.map((key): ListedKey => ({ ...key, is_paused: isPaused(key, allowed) }));
  answer(options, listed, (all) =>
    all.length === 0 ? ['This account has no key.'] : all.map(keyLine),
  );
}

/** Returns how many live keys the plan allows. Without an answer, prints a note: a key must be found all the same. */
async function allowedKeys(config: CliConfig, accountId: string): Promise<number | undefined> {
  try {
    return await withService(config, 'entitlement', async (http) => {
      const { keys } = await new EntitlementClient(http).allowance(accountId);
      return keys;
    });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    process.stderr.write(`Which keys are paused is unknown: ${error.message}\n`);
    return undefined;
  }
}

function isPaused({ rank }: KeyAnswer, allowed: number | undefined): boolean | null {
  if (rank === null) return false;
  return allowed === undefined ? null : rank > allowed;
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

function keyLine(key: KeyAnswer & Partial<ListedKey>): string {
  const { id: keyId, masked, name, last_used_at: used } = key;
  const state = key.is_paused ? 'paused' : key.state;
  return `${keyId}  ${masked}  ${state}  "${name}", used ${used ?? 'never'}`;
}
