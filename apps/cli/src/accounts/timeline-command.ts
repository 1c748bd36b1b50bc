import type { Command } from 'commander';
import {
  AccountDeskClient,
  EntitlementClient,
  type TimelineEntry,
  type TimelineQuestion,
} from '#libs/contracts';
import { counted } from '#libs/platform';
import { id, instant, wholeNumber } from '../arguments.js';
import type { CliConfig } from '../cli.config.js';
import { inspected } from '../audited.js';
import { operatorName } from '../operator.js';
import { type OutputOptions, answer } from '../output.js';
import { withBilling, withService } from '../service-calls.js';

interface TimelineOptions extends OutputOptions {
  before?: string;
  limit: number;
  inspections?: boolean;
}

interface Timeline {
  entries: TimelineEntry[];
  /** The value of `--before` for the next page; absent on the last page. */
  nextBefore?: string;
  /** The number of inspections by operators that this page omits; 0 with `--inspections`. */
  inspectionsLeftOut: number;
}

export function timelineCommand(account: Command, config: CliConfig): void {
  account
    .command('timeline')
    .argument('<account-id>', 'as shown by `account find`', id)
    .description(
      'orders, payments, refunds, callbacks, events, credits, blocks, e-mails, keys, log-ins: newest first',
    )
    .option('--before <time>', 'RFC 3339; lists only older entries, for the next page', instant)
    .option('--limit <number>', 'entries per page', wholeNumber, 50)
    .option('--inspections', 'include inspections by operators')
    .action((accountId: string, options: TimelineOptions) => show(config, accountId, options));
}

async function show(config: CliConfig, accountId: string, options: TimelineOptions): Promise<void> {
  const { limit, before, inspections: withInspections = false } = options;
  // The owner is read first, because this records the inspection in the audit log.
  const { email } = await inspected(config, accountId);
  const timeline = await read(config, accountId, { question: { before, limit }, withInspections });
  answer(
    options,
    { accountId, email, ...timeline },
    ({ entries, nextBefore, inspectionsLeftOut }) => [
      `${accountId}  ${email ?? 'erased'}`,
      ...entries.map(({ at, kind, text, id }) => `${at}  ${kind.padEnd(12)}  ${text}  [${id}]`),
      ...(inspectionsLeftOut === 0 ? [] : [inspectionsLine(inspectionsLeftOut)]),
      ...(nextBefore === undefined ? [] : [`more: --before ${nextBefore}`]),
    ],
  );
}

const inspectionsLine = (count: number) =>
  `${counted(count, 'inspection')} by operators left out; add --inspections to list them`;

/**
 * Reads a page of the timeline: requests a full page from each service and merges them. Entries
 * older than the end of the merged page are requested again for the next page.
 */
async function read(
  config: CliConfig,
  accountId: string,
  { question, withInspections }: { question: TimelineQuestion; withInspections: boolean },
): Promise<Timeline> {
  const { limit, before } = question;
  const ofAccount = <T>(ask: (desk: AccountDeskClient) => Promise<T>) =>
    withService(config, 'account', (http) =>
      ask(new AccountDeskClient(http, operatorName(config))),
    );
  const parts = await Promise.all([
    ofAccount((desk) => desk.timeline(accountId, question, withInspections)),
    withBilling(config, (billing) => billing.timeline(accountId, question)),
    withService(config, 'entitlement', (http) =>
      new EntitlementClient(http).timeline(accountId, question),
    ),
  ]);
  const all = parts.flat().toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  const cut = all.at(limit - 1)?.at;
  // Entries with the same time stay on one page, because a page ends at a time.
  const entries = cut === undefined ? all : all.filter(({ at }) => at >= cut);
  const isWhole = cut === undefined || parts.every((part) => part.length < limit);
  const nextBefore = entries.length === all.length && isWhole ? undefined : cut;
  const page = { ...(nextBefore && { from: nextBefore }), ...(before && { before }) };
  const inspectionsLeftOut = withInspections
    ? 0
    : await ofAccount((desk) => desk.countInspections(accountId, page));
  return { entries, ...(nextBefore && { nextBefore }), inspectionsLeftOut };
}
