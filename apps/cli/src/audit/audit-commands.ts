import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { AccountDeskClient } from '#libs/contracts';
import { HOUR_MS, counted } from '#libs/platform';
import { id, wholeNumber } from '../arguments.js';
import { inspected } from '../audited.js';
import type { CliConfig } from '../cli.config.js';
import { operatorName } from '../operator.js';
import { type OutputOptions, answer } from '../output.js';
import { withService } from '../service-calls.js';

interface VerifyOptions extends OutputOptions {
  anchors?: object[];
}

interface ListOptions extends OutputOptions {
  before?: string;
  limit: number;
}

interface Verdict {
  entries: number;
  chains: number;
  brokenAt: string | null;
}

const LISTED = 50;
/** The number of anchors in a call, whose size is limited. */
const ANCHORS_AT_A_TIME = 500;
/** The time limit of a call, which reads the whole log. */
const VERIFY_LIMIT_MS = HOUR_MS;

/** Adds `audit`, which lists the audit log and verifies its hash chains (S116). */
export function auditCommands(program: Command, config: CliConfig): void {
  const audit = program.command('audit').description('the append-only log of who did what');
  audit
    .command('list')
    .argument('[account-id]', 'as shown by `account find`; if omitted, the installation', id)
    .description('list the audit entries of an account, or of the installation, newest first')
    .option('--before <position>', 'the last position of the previous page')
    .option('--limit <number>', 'entries per page, at most 500', wholeNumber, LISTED)
    .action((accountId: string | undefined, options: ListOptions) =>
      list(config, accountId, options),
    );
  audit
    .command('verify')
    .description(
      'verify all hash chains; if an entry was changed, exits with 1 and names the first changed entry',
    )
    .option(
      '--anchors <file>',
      'file with the anchors that the chains must contain: that of AUDIT_ANCHORS, or log lines of account',
      anchorsIn,
    )
    .action((options: VerifyOptions) => verify(config, options));
}

async function list(
  config: CliConfig,
  accountId: string | undefined,
  { json, ...page }: ListOptions,
): Promise<void> {
  if (accountId !== undefined) await inspected(config, accountId);
  const entries = await withService(config, 'account', (http) =>
    new AccountDeskClient(http, operatorName(config)).auditEntries(accountId, page),
  );
  answer({ json }, entries, (all) =>
    all.map(
      ({ position, at, actor, action, object }) =>
        `${position}  ${at}  ${actor}  ${action}  ${object}`,
    ),
  );
}

async function verify(config: CliConfig, options: VerifyOptions): Promise<void> {
  const { anchors = [] } = options;
  const found = await withService(config, 'account', async (http) => {
    for (let from = 0; ; from += ANCHORS_AT_A_TIME) {
      const verdict = await http.call<Verdict>('POST', '/internal/operator/audit/verify', {
        body: { anchors: anchors.slice(from, from + ANCHORS_AT_A_TIME) },
        timeoutMs: VERIFY_LIMIT_MS,
      });
      const isLast = from + ANCHORS_AT_A_TIME >= anchors.length;
      if (isLast || verdict.brokenAt !== null) return verdict;
    }
  });
  const { entries, chains, brokenAt } = found;
  if (brokenAt !== null) process.exitCode = 1;
  if (brokenAt !== null && !options.json) {
    process.stderr.write(`${brokenAt}: changed or removed\n`);
    return;
  }
  const compared = anchors.length > 0 ? `; ${counted(anchors.length, 'anchor')} compared` : '';
  answer(options, found, () => [
    `${counted(entries, 'entry', 'entries')} in ${counted(chains, 'chain')}, none changed${compared}`,
  ]);
}

/**
 * Reads anchors from a file.
 * @throws InvalidArgumentError if the file cannot be read or has no anchors, because a comparison
 *   without anchors would always succeed.
 */
function anchorsIn(file: string): object[] {
  let anchors: object[];
  try {
    anchors = anchorsOf(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new InvalidArgumentError(`It cannot be read: ${(error as Error).message}`);
  }
  if (anchors.length === 0)
    throw new InvalidArgumentError('It contains no anchor of the audit log.');
  return anchors;
}

function anchorsOf(log: string): object[] {
  return log.split('\n').flatMap((line) => {
    if (!line.includes('"audit anchor"')) return [];
    try {
      const { anchor } = JSON.parse(line) as { anchor?: object };
      return anchor === undefined ? [] : [anchor];
    } catch {
      // A kill or a full disk has cut off the line.
      return [];
    }
  });
}
