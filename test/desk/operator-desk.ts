import { readFileSync } from 'node:fs';
import { type Command, CommanderError } from 'commander';
import { type SchemaService, serviceRole, withClient } from '#libs/database';
import { EventsConfig } from '#libs/messaging';
import { Problem, SystemClock, loadConfigs } from '#libs/platform';
import { databaseSetting, schemaServices } from '#libs/services';
import { CliConfig } from '../../apps/cli/src/cli.config.js';
import { type Databases, DatabasesConfig, SERVICES } from '../../apps/cli/src/declared.js';
import { operatorProgram } from '../../apps/cli/src/operator-program.js';
import { AccountUnderTest } from '../account/account-under-test.js';
import { BillingUnderTest } from '../billing/billing-under-test.js';
import { EntitlementUnderTest } from '../entitlement/entitlement-under-test.js';
import { HARNESS_SECRET } from '../stand-ins/harness-secret.js';

/** A port on which no process listens. */
const NOBODY = 'http://127.0.0.1:9';
const SCHEMAS = schemaServices(SERVICES);
const { operator } = JSON.parse(
  readFileSync('deploy/helm/domain-data-service/files/services.json', 'utf8'),
) as { operator: { settings: string[]; secrets: { env: string }[] } };
/** The settings that the chart gives to its pod for operator commands. */
const POD_SETTINGS = [...operator.settings, ...operator.secrets.map(({ env }) => env)];

function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  command.commands.forEach(throwInsteadOfExit);
}

function databaseOf(service: SchemaService, url: string): string {
  const own = new URL(url);
  own.username = serviceRole(service);
  own.searchParams.set('options', `-csearch_path=${service}`);
  return own.toString();
}

export interface CommandEnd {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * The services account, billing and entitlement, and the command line, which gets only settings that the chart's pod
 * for operators has.
 */
export class OperatorDesk {
  private readonly config: CliConfig;
  private readonly databases: Databases;
  private readonly systemTime = SystemClock.prototype.now;

  private constructor(
    readonly account: AccountUnderTest,
    readonly billing: BillingUnderTest,
    readonly entitlement: EntitlementUnderTest,
  ) {
    const database = (service: SchemaService) => databaseOf(service, account.config.databaseUrl);
    const databases = SCHEMAS.map((name) => [databaseSetting(name), database(name)]);
    const settings: Record<string, string> = {
      ...Object.fromEntries(databases),
      ACCOUNT_URL: account.service.url,
      BILLING_INTERNAL_URL: billing.service.url,
      ENTITLEMENT_URL: entitlement.service.url,
      CORPUS_URL: NOBODY,
      SERVICE_SECRET: HARNESS_SECRET,
    };
    const given = Object.entries(settings).filter(([name]) => POD_SETTINGS.includes(name));
    [this.config, this.databases] = loadConfigs(
      [CliConfig, DatabasesConfig],
      Object.fromEntries(given),
    );
    // The tokens of the command line use the services' clock.
    SystemClock.prototype.now = () => account.clock.now();
  }

  static async open(): Promise<OperatorDesk> {
    const account = await AccountUnderTest.start();
    const entitlement = await EntitlementUnderTest.start();
    const billing = await BillingUnderTest.start({ entitlementUrl: entitlement.service.url });
    return new OperatorDesk(account, billing, entitlement);
  }

  async close(): Promise<void> {
    SystemClock.prototype.now = this.systemTime;
    await this.billing.stop();
    await this.entitlement.stop();
    await this.account.stop();
  }

  advance(ms: number): void {
    for (const { clock } of [this.account, this.billing, this.entitlement]) clock.advance(ms);
  }

  /**
   * Runs `npm run cli -- <args>` in this process. Throws neither a `Problem` nor a usage error: the result contains it.
   */
  async command(...args: string[]): Promise<CommandEnd> {
    const program = operatorProgram(this.config, new EventsConfig(), this.databases, {});
    throwInsteadOfExit(program);
    const end: CommandEnd = { code: 0, stdout: '', stderr: '' };
    const { stdout, stderr } = process;
    const [writeOut, writeError] = [stdout.write, stderr.write];
    stdout.write = (text: string | Uint8Array) => Boolean((end.stdout += String(text)));
    stderr.write = (text: string | Uint8Array) => Boolean((end.stderr += String(text)));
    try {
      await program.parseAsync(args, { from: 'user' });
    } catch (error) {
      if (!(error instanceof Problem || error instanceof CommanderError)) throw error;
      end.stderr += error.message;
      process.exitCode = 1;
    } finally {
      stdout.write = writeOut;
      stderr.write = writeError;
    }
    end.code = Number(process.exitCode ?? 0);
    process.exitCode = undefined;
    return end;
  }

  /** Returns the answer of a command with `--json`. @throws Error if the command fails. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read members of any answer
  async answer(...args: string[]): Promise<any> {
    const { code, stdout, stderr } = await this.command(...args, '--json');
    if (code !== 0) throw new Error([args.join(' '), stdout, stderr, ...this.errors()].join('\n'));
    return JSON.parse(stdout);
  }

  private errors(): unknown[] {
    return [this.account, this.billing, this.entitlement].map(({ logLines }) => logLines.at(-1));
  }

  async ofGateway(sql: string, parameters: unknown[]): Promise<void> {
    await withClient(this.databases.gateway!, (client) => client.query(sql, parameters));
  }

  /** Returns the audit log of an account, oldest first, as `actor action object`. */
  async audited(accountId: string): Promise<string[]> {
    const rows = await this.account.database.query<{ line: string }>(
      `select actor || ' ' || action || ' ' || object as line from audit
       where chain = $1 order by position`,
      [accountId],
    );
    return rows.map(({ line }) => line);
  }
}
