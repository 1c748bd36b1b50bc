import type { InjectOptions } from 'fastify';
import { AccountClient, OPERATIONS } from '#libs/contracts';
import { Database, MaintenanceDatabase, withClient } from '#libs/database';
import { type KeptMail, LocalMailbox, MailSender } from '#libs/mail';
import { Logger, type ServiceName, faultsOf, derivedKey, encrypt, newId } from '#libs/platform';
import { TestClock, TestDatabase, waitFor } from '#test/environment';
import { AccountConfig } from '../../apps/account/src/account.config.js';
import type { HashCost } from '../../apps/account/src/passwords/password-hash.js';
import { PasswordsService } from '../../apps/account/src/passwords/passwords.service.js';
import { ForgottenPasswordsService } from '../../apps/account/src/password-resets/forgotten-passwords.service.js';
import { newToken, tokenHash } from '../../apps/account/src/sessions/session-token.js';
import { startAccount } from '../../apps/account/src/start.js';
import { ServiceUnderTest } from '../environment/service-under-test.js';
import { HARNESS_SECRET } from '../stand-ins/harness-secret.js';

export interface Owner {
  accountId: string;
  token: string;
}

export interface Registered extends Owner {
  key: string;
  testKey: string;
}

export const PASSWORD = 'seven green bicycles';
/** A small fraction of the real cost, for tests that are not about password hashing. */
export const CHEAP_HASH: HashCost = { memoryKib: 64, passes: 1, parallelism: 1 };

export interface DashboardAnswer {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read members of any answer
  body: any;
  headers: Record<string, unknown>;
}

export interface DashboardCall {
  body?: object;
  token?: string;
  headers?: Record<string, string>;
}

/** Whether a statement belongs to a request, and not to the relay or the mail sender. */
const isOfRequest = (sql: string) =>
  /\b(people|sessions|attempts|sign_ups|data_keys|audit|audit_heads|password_resets|mail|work)\b/.test(
    sql,
  ) && !/^(update (mail|work)|delete from mail|select id, (recipient|epoch)|with gone)/.test(sql);

export class AccountUnderTest extends ServiceUnderTest<TestDatabase, TestClock> {
  readonly mailbox = new LocalMailbox(this.clock);
  config: AccountConfig;
  database: Database;
  client: AccountClient;
  private readonly queryLog: string[] = [];

  static async start(settings: Partial<AccountConfig> = {}): Promise<AccountUnderTest> {
    const parts = { consumers: { account: [] }, logged: 'info' } as const;
    const test = await TestDatabase.create();
    const account = new AccountUnderTest('account', test, new TestClock(), parts);
    await account.open(settings);
    return account;
  }

  /**
   * Sends `METHOD /internal/dashboard/<path>` with a gateway's token and headers.
   * @throws Error if the answer is a 500, or is a success that no row of the account service promises.
   */
  async dashboard(
    method: InjectOptions['method'],
    path: string,
    { body, token, headers }: DashboardCall = {},
  ): Promise<DashboardAnswer> {
    const answer = await this.service.app.inject({
      method,
      url: `/internal/dashboard/${path}`,
      payload: body,
      headers: {
        authorization: `Bearer ${this.tokens.issue('gateway', 'account')}`,
        'x-client-address': '192.0.2.1',
        'x-user-agent': 'a browser',
        'x-request-id': newId(),
        ...(token && { 'x-session-token': token }),
        ...headers,
      },
    });
    if (answer.statusCode === 500) throw new Error(`500: ${this.logLines.at(-1)}`);
    const text = answer.body;
    const given = {
      status: answer.statusCode,
      body: text === '' ? undefined : JSON.parse(text),
      headers: answer.headers,
    };
    if (given.status < 400) checkAgainstRow(`${method} /internal/dashboard/${path}`, given);
    return given;
  }

  async operator(route: string, accountId: string, body: object) {
    const answer = await this.service.app.inject({
      method: 'POST',
      url: `/internal/operator/accounts/${route}`,
      headers: { authorization: `Bearer ${this.tokenOf('cli')}`, 'x-account-id': accountId },
      payload: { operator: 'grace', ...body },
    });
    return answer.json();
  }

  /** Inserts an account directly into the tables; its owner has just logged in. */
  async newOwner(): Promise<Owner> {
    const accountId = newId();
    const wrappedKey = encrypt(
      derivedKey(HARNESS_SECRET, 'data keys'),
      Buffer.alloc(32, 1),
      accountId,
    );
    await this.database.query(
      `with a as (insert into accounts (id, state, created_at) values ($1, 'active', $3) returning id),
            d as (insert into data_keys (account_id, wrapped_key, created_at) values ($1, $4, $3))
       insert into people (id, account_id, created_at) select $2, id, $3 from a`,
      [accountId, newId(), this.clock.now(), wrappedKey],
    );
    return { accountId, token: await this.newSession({ accountId }) };
  }

  /** Waits until all e-mails are sent. Returns those of the newest 200 that went to one address, newest first. */
  async mailsTo(address: string): Promise<KeptMail[]> {
    await this.get(ForgottenPasswordsService).settled();
    const logger = new Logger('mail', { write: () => undefined });
    const sender = new MailSender(this.get(MaintenanceDatabase), this.mailbox, logger);
    await waitFor('all e-mails to be sent', async () => {
      await sender.runOnce();
      const [{ left }] = await this.database.query<{ left: number }>(
        'select count(*)::int as left from mail',
      );
      return left === 0;
    });
    return (await this.mailbox.newest(200)).filter(({ to }) => to === address);
  }

  /** Returns the token in the link of the newest e-mail to an address. */
  async linkToken(address: string): Promise<string> {
    const [mail] = await this.mailsTo(address);
    const token = /[?]token=([A-Za-z0-9_-]{43})/.exec(mail?.text ?? '')?.[1];
    if (!token) throw new Error(`the newest e-mail to ${address} has no link`);
    return token;
  }

  /** Signs up with the form and confirms the address. The account has a person, a password and its first keys. */
  async register(address: string): Promise<Registered> {
    const body = { first_name: 'Ada', email: address, password: PASSWORD };
    const asked = await this.dashboard('POST', 'sign-up', { body });
    if (asked.status !== 202) throw new Error(`sign-up: ${JSON.stringify(asked.body)}`);
    const token = await this.linkToken(address);
    const confirmed = await this.dashboard('POST', 'sign-up/confirm', {
      body: { token, password: PASSWORD },
    });
    if (confirmed.status !== 201) throw new Error(`confirm: ${JSON.stringify(confirmed.body)}`);
    return {
      accountId: confirmed.body.account_id,
      token: String(confirmed.headers['x-set-session']),
      key: confirmed.body.key,
      testKey: confirmed.body.test_key,
    };
  }

  tokenOf(caller: ServiceName): string {
    return this.tokens.issue(caller, 'account');
  }

  /** Runs a statement that no role of the service may execute. */
  async asSuperuser(sql: string): Promise<void> {
    await withClient(this.test.url(), async (client) => {
      await client.query(`set local search_path = account; ${sql}`);
    });
  }

  /** Returns all rows of all tables of the service as one text, as a backup would contain them. */
  async dump(): Promise<string> {
    const tables = await this.database.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'account'`,
    );
    const texts = tables.map(async ({ name }) =>
      JSON.stringify(await this.database.query(`select t::text as row from "${name}" t`)),
    );
    return (await Promise.all(texts)).join('\n');
  }

  /** Inserts a session of an owner who logs in now, and returns its token. */
  async newSession({ accountId }: Pick<Owner, 'accountId'>): Promise<string> {
    const token = newToken();
    await this.database.query(
      `insert into sessions (id, account_id, person_id, token_hash, origin, network_hash,
                             created_at, last_seen_at, authenticated_at)
       select $1, account_id, id, $2, '', '', $3, $3, $3 from people where account_id = $4`,
      [newId(), tokenHash(token), this.clock.now(), accountId],
    );
    return token;
  }

  /** Starts to collect the service's statements, by default those of requests. */
  statements(isWanted = isOfRequest): { texts(): string[] } {
    const before = this.queryLog.length;
    return { texts: () => this.queryLog.slice(before).filter(isWanted) };
  }

  private async open(settings: Partial<AccountConfig>): Promise<void> {
    const { clock, logger, transport, mailbox: mail } = this;
    const config = Object.assign(new AccountConfig(), this.settings, {
      keyPepper: HARNESS_SECRET,
      addressPepper: HARNESS_SECRET,
      personalDataSecret: HARNESS_SECRET,
      auditAnchorSecret: `anchors, ${HARNESS_SECRET}`,
      ...settings,
    });
    this.config = config;
    this.database = await this.test.service('account');
    // On a schedule, jobs would sometimes run between two steps of a spec.
    const isScheduled = false;
    this.service = await startAccount({ config, clock, logger, transport, mail, isScheduled });
    this.get(PasswordsService).cost = CHEAP_HASH;
    for (const database of [this.get(Database), this.get(MaintenanceDatabase) as Database]) {
      listenToQueries(database, (sql) => this.queryLog.push(sql.trim()));
    }
    this.client = new AccountClient(this.connect('gateway'));
  }
}

function listenToQueries({ dataSource }: Database, heard: (sql: string) => void): void {
  dataSource.subscribers.push({ beforeQuery: ({ query }) => heard(query) });
}

function checkAgainstRow(call: string, { status, body }: DashboardAnswer): void {
  const row = OPERATIONS.find(({ method, owner }) => {
    const pattern = `${method} ${owner.path}`.replaceAll(/\{\w+\}/g, '[^/?]+');
    return owner.service === 'account' && new RegExp(`^${pattern}(\\?|$)`).test(call);
  });
  const form = row?.answers[0];
  if (form?.type !== 'application/json') throw new Error(`${call} has no row`);
  // If the answer has several parts, the service produces only one of them.
  const broken = row?.parts ? [] : faultsOf(form.of, body);
  const faults = broken.map(({ field, message }) => `${field} ${message}`);
  if (status !== (form.status ?? 200)) faults.push(`the status is ${status}`);
  if (faults.length > 0)
    throw new Error(`${call} does not answer as its row says: ${faults.join()}`);
}
