import type { Command } from 'commander';
import type { AuditLine, ListedAccount, SetAsideMoney } from '#libs/contracts';
import {
  ACCOUNT,
  PAYMENT,
  OTHER,
  AT,
  REASON,
  REFUND,
  FAILED_EVENT,
  FAILED_WORK,
  KEY,
  SUBSCRIPTION,
  SOURCE,
  LISTED_SOURCE,
  IMPORTED_FILE,
} from './example-answers.js';

/** The parts of `--help` and of docs/operations/command-line.md that a command does not declare itself. */
interface ManualEntry {
  /** The words after `npm run cli --`. */
  example: string;
  /** The answer with `--json`, including members that may be missing. */
  json?: unknown;
}

export const EXIT_CODES = `Exit codes:
  0  done
  1  not done: nothing was found (account find, events redrive, events discard, work redrive, work discard), the
     command line or a setting is wrong, a service refused or did not answer, an import or a step failed (source run,
     sandbox), or a check found something (verify, audit verify, credits explain, billing reconcile, billing replay)`;

export const MANUAL: Readonly<Record<string, ManualEntry>> = {
  provision: { example: 'provision', json: { schemas: ['account', 'entitlement', 'billing'] } },
  migrate: { example: 'migrate', json: { account: ['0024-example'], billing: [], topics: [] } },
  verify: {
    example: 'verify',
    json: [
      {
        service: 'entitlement',
        checked: 11,
        newestEventAt: AT,
        violated: [
          {
            id: 'I2',
            statement: "a grant's buckets add up to the granted amount and none is negative",
            rows: 1,
            examples: [{ id: OTHER }],
          },
        ],
      },
    ],
  },
  'events list': { example: 'events list --consumer entitlement', json: [FAILED_EVENT] },
  'events redrive': {
    example: `events redrive ${OTHER} --consumer entitlement`,
    json: { redriven: 1 },
  },
  'events discard': {
    example: `events discard ${OTHER} --consumer entitlement --reason 'sent twice by hand'`,
    json: { discarded: true },
  },
  'work list': { example: 'work list --service billing', json: [FAILED_WORK] },
  'work redrive': { example: `work redrive ${OTHER} --service billing`, json: { redriven: 1 } },
  'work discard': {
    example: `work discard ${OTHER} --service billing --reason 'the payment of another shop'`,
    json: { discarded: true },
  },
  'account find': {
    example: 'account find ada@example.com',
    json: [
      {
        accountId: ACCOUNT,
        state: 'active',
        email: 'ada@example.com',
        firstName: 'Ada',
        createdAt: AT,
        deletedAt: AT,
        restorableUntil: AT,
        suspendedAt: AT,
        suspendedBecause: 'unpaid dispute',
        matched: ['e-mail'],
      },
    ],
  },
  'account timeline': {
    example: `account timeline ${ACCOUNT} --limit 20`,
    json: {
      accountId: ACCOUNT,
      email: 'ada@example.com',
      entries: [
        { at: AT, kind: 'order', text: 'ordered 54.00 USD by stripe, now completed', id: OTHER },
      ],
      nextBefore: AT,
      inspectionsLeftOut: 2,
    },
  },
  'account suspend': {
    example: `account suspend ${ACCOUNT} --reason 'unpaid dispute'`,
    json: { hasChanged: true },
  },
  'account unsuspend': {
    example: `account unsuspend ${ACCOUNT} --reason 'dispute won'`,
    json: { hasChanged: true },
  },
  'account block-downloads': {
    example: `account block-downloads ${ACCOUNT} --cause overdue --reason 'invoice 41 is unpaid'`,
    json: { accountId: ACCOUNT, cause: 'overdue', until: null },
  },
  'account unblock-downloads': {
    example: `account unblock-downloads ${ACCOUNT} --cause overdue --reason 'invoice 41 is paid'`,
    json: { accountId: ACCOUNT, cause: 'overdue' },
  },
  'account lift-second-factor': {
    example: `account lift-second-factor ${ACCOUNT} --reason 'lost telephone, called back'`,
    json: { hasChanged: true },
  },
  'credits revoke': {
    example: `credits revoke ${ACCOUNT} 30 ${REASON}`,
    json: { revocationId: OTHER, revoked: 30, isNew: true },
  },
  'corpus generate': {
    example: 'corpus generate --names 50000 --seed 1',
    json: { names: 50_000, added: 50_000 },
  },
  'corpus clear': { example: 'corpus clear --generated', json: { removed: 50_000 } },
  'source add': {
    example:
      'source add com --kind zone --from /data/zones/com --rights shown,looked-up --every 1d',
    json: SOURCE,
  },
  'source run': {
    example: 'source run com',
    json: { ...LISTED_SOURCE, files: [IMPORTED_FILE] },
  },
  'source list': { example: 'source list', json: [LISTED_SOURCE] },
  'source set': {
    example: 'source set com --turnover 60',
    json: { name: 'com', turnoverMax: 0.6 },
  },
  'source remove': { example: 'source remove com', json: { name: 'com' } },
  'corpus distribute': {
    example: 'corpus distribute',
    json: { tables: ['source', 'domain', 'whois_revision'] },
  },
  'corpus suppress': {
    example: 'corpus suppress email ada@example.com',
    json: { version: 1, isNew: true },
  },
  'credits grant': {
    example: `credits grant ${ACCOUNT} 500 ${REASON}`,
    json: { adjustmentId: OTHER, amount: 500, isNew: true },
  },
  'credits explain': {
    example: `credits explain ${ACCOUNT}`,
    json: {
      lines: [{ from: AT, to: AT, kind: 'grant', reference: 'trial', amount: 500, lines: 1 }],
      balance: { spendable: 500, frozen: 0, reserved: 0, unbooked: 0, debt: 0 },
      total: 500,
      unexplained: 0,
    },
  },
  'credits set-aside': {
    example: 'credits set-aside',
    json: {
      accounts: [{ accountId: ACCOUNT, since: AT, failures: 3, reason: 'no such grant' }],
      leases: [
        { accountId: ACCOUNT, leaseId: OTHER, reported: 12, failures: 3, reason: 'no such lease' },
      ],
    },
  },
  'limits lift': {
    example: `limits lift ${ACCOUNT} --limit live ${REASON}`,
    json: { accountId: ACCOUNT, limit: 'live', hasChanged: true },
  },
  'sandbox stripe': {
    example: 'sandbox stripe --wait 15',
    json: {
      steps: [{ title: 'Refund', outcome: 'seen', says: 'refunded: 10.00 USD, re_1' }],
    },
  },
  'sandbox paypal': {
    example: 'sandbox paypal',
    json: {
      steps: [{ title: 'Webhook', does: 'Lists the app’s webhooks …' }],
    },
  },
  'keys list': { example: `keys list ${ACCOUNT}`, json: [{ ...KEY, is_paused: false }] },
  'keys revoke': { example: `keys revoke ${ACCOUNT} ${OTHER}`, json: KEY },
  'account list': {
    example: 'account list --standing suspended',
    json: [
      {
        accountId: ACCOUNT,
        state: 'active',
        createdAt: AT,
        deletedAt: null,
        suspendedAt: AT,
        suspendedBecause: 'spam',
      },
    ] satisfies ListedAccount[],
  },
  'audit list': {
    example: `audit list ${ACCOUNT}`,
    json: [
      {
        position: '12',
        at: AT,
        actor: 'operator:ada',
        action: 'account.inspected',
        object: `account:${ACCOUNT}`,
        requestId: '',
      },
    ] satisfies AuditLine[],
  },
  'billing subscriptions': { example: `billing subscriptions ${ACCOUNT}`, json: [SUBSCRIPTION] },
  'billing cancel': { example: `billing cancel ${ACCOUNT} ${OTHER} ${REASON}`, json: SUBSCRIPTION },
  'billing resend-receipt': {
    example: `billing resend-receipt ${ACCOUNT} INV-2026-000042 ${REASON}`,
    json: { number: 'INV-2026-000042' },
  },
  'limits override': {
    example: `limits override ${ACCOUNT} --limit live --value 600 --until 2099-01-01T00:00:00Z ${REASON}`,
    json: { accountId: ACCOUNT, limit: 'live', value: 600, until: '2099-01-01T00:00:00Z' },
  },
  'billing payments': {
    example: `billing payments ${ACCOUNT}`,
    json: [
      {
        paymentId: PAYMENT,
        processor: 'stripe',
        externalId: 'pi_3QxAbC',
        amountMicros: '54000000',
        currency: 'USD',
        confirmedAt: AT,
        lines: [{ lineId: OTHER, kind: 'package', sku: 'credits-15000', quantity: 1 }],
        reversals: [{ cause: 'refund', ...REFUND }],
      },
    ],
  },
  'billing set-aside': {
    example: 'billing set-aside',
    json: [
      {
        kind: 'unreturned',
        id: OTHER,
        accountId: ACCOUNT,
        since: AT,
        reason: 'not refunded: its refunds were refused or failed',
      },
    ] satisfies SetAsideMoney[],
  },
  'billing retry-refund': {
    example: `billing retry-refund ${ACCOUNT} ${OTHER} ${REASON}`,
    json: REFUND,
  },
  'billing dismiss-refund': {
    example: `billing dismiss-refund ${ACCOUNT} ${OTHER} ${REASON}`,
    json: REFUND,
  },
  'billing reconcile': {
    example: `billing reconcile ${REASON}`,
    json: {
      runId: OTHER,
      lines: 12,
      payments: 10,
      subscriptions: 4,
      findings: [
        {
          kind: 'fulfilment',
          accountId: ACCOUNT,
          subject: PAYMENT,
          detail: 'paid, and no credits',
          isHealed: true,
        },
      ],
    },
  },
  'billing replay': {
    example: `billing replay ${OTHER} ${REASON}`,
    json: { processor: 'stripe', kind: 'payment', externalId: 'pi_3QxAbC', result: 'synced' },
  },
  'billing refund': {
    example: `billing refund ${ACCOUNT} ${PAYMENT} --scope whole ${REASON}`,
    json: REFUND,
  },
  'audit verify': {
    example: 'audit verify',
    json: { entries: 42, chains: 3, brokenAt: null },
  },
  secrets: {
    example: 'secrets deploy/secrets --smtp-url smtp://user:password@mail.example.com:587',
    json: { folder: 'deploy/secrets', written: ['account_service_secret', 'smtp_url'] },
  },
  'routing convert': {
    example: 'routing convert rib.20261123.0000.gz --write prefix-origins.txt',
    json: { prefixes: 1_012_345 },
  },
  'tlds show': {
    example: 'tlds show com',
    json: [
      {
        tld: 'com',
        rdapBaseUrl: 'https://rdap.verisign.com/com/v1/',
        whoisServer: 'whois.verisign-grs.com',
        protocol: 'rdap',
        hasFallback: true,
        whoisReading: 'recorded',
        reason: 'without an answering server',
      },
    ],
  },
  'tlds refresh': {
    example: 'tlds refresh iana-files --write registries.json',
    json: {
      since: '2026-11-20',
      changes: ['.example: rdap added'],
      coverage: { tlds: 1_436, rdap: 1_200, whois: 900, unsupported: 40 },
      written: 'registries.json',
    },
  },
};

/** Returns the words of a command without the program's name, such as `account find`. */
export function pathOf(command: Command): string {
  return command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** Lists the commands without subcommands, in the order of the help. */
export function leavesOf(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

/**
 * Adds an example to the help of every command, and the exit codes to that of the program. A command whose entry
 * contains JSON gets the option `--json`.
 * @throws Error if a command has no entry.
 */
export function addManual(program: Command): void {
  program.addHelpText('after', `\n${EXIT_CODES}`);
  for (const command of leavesOf(program)) {
    const entry = MANUAL[pathOf(command)];
    if (entry === undefined) throw new Error(`the manual lacks "${pathOf(command)}"`);
    const { example, json } = entry;
    command.addHelpText('after', `\nExample:\n  ${program.name()} ${example}`);
    if (json === undefined) continue;
    const isOption = command.options.some(({ long }) => long === '--json');
    if (!isOption) command.option('--json', 'as JSON');
    command.addHelpText('after', `\nWith --json:\n${JSON.stringify(json, null, 2)}`);
  }
}
