import { AccountDeskClient, type AccountSummary, type OperatorOrder } from '#libs/contracts';
import { Problem } from '#libs/platform';
import type { CliConfig } from './cli.config.js';
import { operatorName } from './operator.js';
import { withService } from './service-calls.js';

const OBJECT_ID_MAX = 200;

/** Performs an operator's action after writing its audit entry, so that no action is missing from the audit log. */
export async function audited<T>(
  config: CliConfig,
  order: OperatorOrder,
  work: () => Promise<T>,
): Promise<T> {
  await withService(config, 'account', (http) =>
    new AccountDeskClient(http, operatorName(config)).note(order),
  );
  return work();
}

/** Returns the object of an action whose id is any text, in the form that the audit log accepts. */
export const objectOf = (kind: string, id: string) =>
  `${kind}:${id.replaceAll(/[^\w.-]/g, '-').slice(0, OBJECT_ID_MAX)}`;

/**
 * Runs `work`, which moves money or credits under `id`. If its result is unknown, also tells the operator this id,
 * because a repeat under another id would move them again. @throws the errors of `work`.
 */
export async function repeatable<T>(id: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem && error.status >= 500) {
      process.stderr.write(`The action may have taken effect. Repeat it only with --id ${id}\n`);
    }
    throw error;
  }
}

/**
 * Records the inspection of an account in the audit log and returns the account's summary; called
 * before an account's data is read.
 * @throws NotFound for an unknown account; the errors of `withService`.
 */
export async function inspected(config: CliConfig, accountId: string): Promise<AccountSummary> {
  return withService(config, 'account', (http) =>
    new AccountDeskClient(http, operatorName(config)).inspect(accountId),
  );
}
