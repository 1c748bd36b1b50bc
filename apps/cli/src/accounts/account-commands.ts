import { type Command, Option } from 'commander';
import {
  AccountDeskClient,
  type AccountMatch,
  type AccountSummary,
  LISTED_STANDINGS,
  type ListedAccount,
  type ListedStanding,
} from '#libs/contracts';
import { id, wholeNumber } from '../arguments.js';
import type { Databases } from '../declared.js';
import { blockCommands } from './block-commands.js';
import { timelineCommand } from './timeline-command.js';
import type { CliConfig } from '../cli.config.js';
import { operatorName } from '../operator.js';
import { type OutputOptions, answer } from '../output.js';
import { required } from '../required.js';
import { withBilling, withService } from '../service-calls.js';
import { searchedText } from './searched-text.js';

interface SuspensionOptions extends OutputOptions {
  reason: string;
}

interface ListOptions extends OutputOptions {
  standing?: ListedStanding;
  before?: string;
  limit: number;
}

interface FoundAccount extends AccountSummary {
  matched: string[];
}

const LISTED = 50;
const ACCOUNTS_MAX = 20;

export function accountCommands(
  program: Command,
  config: CliConfig,
  databases: () => Promise<Databases>,
): void {
  const account = program.command('account').description('accounts and their history');
  account
    .command('find <text>')
    .description(
      'find an account by e-mail address, account id, request id, last four characters of a key, invoice number, or an id of this product or of a processor',
    )
    .action((text: string, options: OutputOptions) => find({ config, databases }, text, options));
  account
    .command('list')
    .description('list accounts, newest first, without names and addresses')
    .addOption(
      new Option('--standing <standing>', 'only accounts with this standing').choices(
        LISTED_STANDINGS,
      ),
    )
    .option('--before <account-id>', 'the last account of the previous page', id)
    .option('--limit <number>', 'accounts per page, at most 500', wholeNumber, LISTED)
    .action((options: ListOptions) => list(config, options));
  timelineCommand(account, config);
  blockCommands(account, config);
  for (const verb of ['suspend', 'unsuspend'] as const) {
    account
      .command(verb)
      .argument('<account-id>', 'as shown by `account find`', id)
      .description(
        verb === 'suspend'
          ? 'suspend an account: its keys get 403 account_suspended within a second, and it cannot buy anything'
          : 'end the suspension, and change nothing else',
      )
      .requiredOption('--reason <text>', 'reason; the owner of a suspended account sees it')
      .action((accountId: string, options: SuspensionOptions) =>
        changeSuspension(config, verb, accountId, options),
      );
  }
  account
    .command('lift-second-factor')
    .argument('<account-id>', 'as shown by `account find`', id)
    .description('remove the authenticator app of an owner who lost it; the owner gets an e-mail')
    .requiredOption(
      '--reason <text>',
      'reason, and how you know that the request comes from the owner',
    )
    .action((accountId: string, options: SuspensionOptions) =>
      liftSecondFactor(config, accountId, options),
    );
}

interface Sources {
  config: CliConfig;
  databases: () => Promise<Databases>;
}

async function find(
  { config, databases }: Sources,
  typed: string,
  options: OutputOptions,
): Promise<void> {
  const text = searchedText(typed);
  const ofGateway = text.startsWith('req_') ? await findRequest(databases, text) : [];
  const ofBilling = await withBilling(config, (billing) => billing.find(text));
  const found = await withService(config, 'account', async (http) => {
    const desk = new AccountDeskClient(http, operatorName(config));
    const matches = [...ofGateway, ...(await desk.find(text)), ...ofBilling];
    return inspectAll(desk, matches);
  });
  if (found.length === 0) process.exitCode = 1;
  answer(options, found, (accounts) =>
    accounts.length === 0 ? ['No account matches this text.'] : accounts.map(foundLine),
  );
}

async function list(config: CliConfig, { json, ...page }: ListOptions): Promise<void> {
  const accounts = await withService(config, 'account', (http) =>
    new AccountDeskClient(http, operatorName(config)).list(page),
  );
  answer({ json }, accounts, (all) =>
    all.length === 0 ? ['There is no such account.'] : all.map(listedLine),
  );
}

function listedLine({ accountId, state, createdAt, suspendedBecause }: ListedAccount): string {
  const suspended = suspendedBecause === null ? '' : `, suspended: ${suspendedBecause}`;
  return `${accountId}  ${createdAt}  ${state}${suspended}`;
}

async function findRequest(
  databases: () => Promise<Databases>,
  requestId: string,
): Promise<AccountMatch[]> {
  // Loading `#libs/database` takes half a second, and of the commands about accounts and money, only this one needs it.
  const { Database } = await import('#libs/database');
  const { LoggedRequestsMaintenanceRepository } = await import('./logged-requests.repository.js');
  const url = required(await databases(), 'gateway', 'GATEWAY_DATABASE_URL');
  const database = await Database.open({ url, applicationName: 'cli', poolSize: 1 });
  try {
    return await new LoggedRequestsMaintenanceRepository(database).find(requestId);
  } finally {
    await database.close();
  }
}

async function changeSuspension(
  config: CliConfig,
  verb: 'suspend' | 'unsuspend',
  accountId: string,
  options: SuspensionOptions,
): Promise<void> {
  const changed = await withService(config, 'account', (http) =>
    new AccountDeskClient(http, operatorName(config))[verb](accountId, options.reason),
  );
  answer(options, changed, ({ hasChanged }) => [
    hasChanged
      ? `${accountId} is ${verb}ed`
      : `${accountId} was ${verb === 'suspend' ? 'already' : 'not'} suspended; nothing changed`,
  ]);
}

async function liftSecondFactor(
  config: CliConfig,
  accountId: string,
  options: SuspensionOptions,
): Promise<void> {
  const changed = await withService(config, 'account', (http) =>
    new AccountDeskClient(http, operatorName(config)).liftSecondFactor(accountId, options.reason),
  );
  answer(options, changed, ({ hasChanged }) => [
    hasChanged ? `${accountId} logs in without a code` : `${accountId} had no authenticator app`,
  ]);
}

async function inspectAll(
  desk: AccountDeskClient,
  matches: AccountMatch[],
): Promise<FoundAccount[]> {
  const byAccount = Map.groupBy(matches, ({ accountId }) => accountId);
  const found: FoundAccount[] = [];
  for (const [accountId, ofAccount] of [...byAccount].slice(0, ACCOUNTS_MAX)) {
    const matched = ofAccount.map((match) => match.matched);
    found.push({ ...(await desk.inspect(accountId)), matched });
  }
  return found;
}

function foundLine({ accountId, email, firstName, matched, ...account }: FoundAccount): string {
  const { suspendedBecause: reason } = account;
  const state = reason === undefined ? account.state : `${account.state}, suspended: ${reason}`;
  const who = email === null ? 'erased' : `${email} (${firstName})`;
  return `${accountId}  ${state}  ${who}  by ${matched.join(', ')}`;
}
