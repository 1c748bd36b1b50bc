import { setTimeout as sleep } from 'node:timers/promises';
import { EntitlementClient, ServiceHttp } from '#libs/contracts';
import { type Clock, DAY_MS, ServiceTokens, newId } from '#libs/platform';
import {
  type ProxiedAnswer,
  ServiceProxy,
  type BrowserCaller,
} from '../../../dashboard/src/service-calls/service-proxy.js';
import { requireSession } from '../../../dashboard/src/service-calls/sessions.js';
import type { DemoFacts } from '../announcement/solo-facts.js';
import type { DataFolder } from '../data-folder/data-folder.js';
import type { Secrets } from '../data-folder/secrets.js';

const FILE = 'demo.json';
export const DEMO_EMAIL = 'demo@example.com';
const PASSWORD_LENGTH = 20;
/** The grant in addition to the trial credits. The id is fixed, so that a repeated grant counts once. */
const CREDITS = { adjustmentId: '0197c000-0000-7000-8000-000000000001', amount: 5_000 };
/**
 * The rate limits of the demo account. Trying the examples takes more requests per minute than a trial allows.
 */
const LIMITS = [
  { name: 'live', value: 120 },
  { name: 'bulk', value: 20 },
] as const;
const LIMITS_DAYS = 3_650;
const MAIL_TIMEOUT_MS = 15_000;
/**
 * The time limit of a call. The first calls run while everything else is still starting, on a
 * machine that may be slow or busy.
 */
const CALL_TIMEOUT_MS = 60_000;
const POLL_MS = 20;

export interface DemoSurroundings {
  accountUrl: string;
  entitlementUrl: string;
  clock: Clock;
  mailbox: { newest(limit: number): Promise<{ to: string; text: string }[]> };
}

/** Whether an earlier start has already created the account in this folder. */
export const hasDemoAccount = (folder: DataFolder) => folder.readJson(FILE) !== undefined;

/**
 * Creates the account that newcomers use to try the product. The code signs up, confirms and gets keys through the same
 * calls as a browser, and gets credits through the operator's calls. If a start was killed halfway, the next start
 * completes the account. A complete account of an earlier start stays as it is.
 */
export async function seedDemoAccount(
  services: DemoSurroundings,
  folder: DataFolder,
  secrets: Secrets,
): Promise<DemoFacts> {
  const known = folder.readJson<DemoFacts>(FILE);
  if (known) return known;
  const tokens = new ServiceTokens(secrets.get('SERVICE_SECRET'), services.clock);
  const seed = new DemoSeed(
    services,
    tokens,
    secrets.get('demoPassword').slice(0, PASSWORD_LENGTH),
  );
  try {
    const facts = await seed.run();
    folder.writePrivateJson(FILE, facts);
    return facts;
  } finally {
    await seed.close();
  }
}

type DemoKeys = Pick<DemoFacts, 'live_key' | 'test_key'>;

class DemoSeed {
  private readonly accounts: ServiceProxy;
  private readonly entitlement: ServiceHttp;
  private readonly visitor: BrowserCaller = { clientAddress: '127.0.0.1', requestId: newId() };

  constructor(
    private readonly services: DemoSurroundings,
    tokens: ServiceTokens,
    private readonly password: string,
  ) {
    this.accounts = new ServiceProxy({
      service: 'account',
      url: services.accountUrl,
      tokens,
    });
    this.entitlement = new ServiceHttp({
      url: services.entitlementUrl,
      caller: 'cli',
      audience: 'entitlement',
      tokens,
      timeoutMs: CALL_TIMEOUT_MS,
    });
  }

  async run(): Promise<DemoFacts> {
    const keys = (await this.logIn()) ? await this.rotatedKeys() : await this.signUp();
    await this.giveCreditsAndLimit();
    succeeded(await this.ask('POST', '/log-out'), 'log-out');
    return { email: DEMO_EMAIL, password: this.password, ...keys };
  }

  async close(): Promise<void> {
    await this.accounts.close();
    await this.entitlement.close();
  }

  private async logIn(): Promise<boolean> {
    const answer = await this.ask('POST', '/log-in', {
      email: DEMO_EMAIL,
      password: this.password,
    });
    return answer.refusal === undefined;
  }

  /** Signs up and confirms. @returns the first keys, from the answer to the confirmation. */
  private async signUp(): Promise<DemoKeys> {
    const person = { first_name: 'Demo', email: DEMO_EMAIL, password: this.password };
    succeeded(await this.ask('POST', '/sign-up', person), 'sign-up');
    const token = await this.tokenFromMail();
    const { password } = this;
    const answer = await this.ask('POST', '/sign-up/confirm', { token, password });
    const { key, test_key } = succeeded(answer, 'confirmation').body as Record<string, string>;
    return { live_key: key, test_key };
  }

  private async tokenFromMail(): Promise<string> {
    for (let waitedMs = 0; waitedMs < MAIL_TIMEOUT_MS; waitedMs += POLL_MS) {
      const mails = await this.services.mailbox.newest(20);
      const mail = mails.find(
        ({ to, text }) => to === DEMO_EMAIL && text.includes('/sign-up/confirm'),
      );
      const token = /[?&]token=([\w-]+)/.exec(mail?.text ?? '')?.[1];
      if (token) return token;
      await sleep(POLL_MS);
    }
    throw new Error('the confirmation e-mail of the demo account did not arrive');
  }

  /** Replaces the keys of an existing account whose keys are no longer known. */
  private async rotatedKeys(): Promise<DemoKeys> {
    const listed = succeeded(await this.ask('GET', '/keys'), 'list of keys');
    const { keys } = listed.body as { keys: { id: string; environment: string; state: string }[] };
    const renewed = async (environment: string) => {
      const old = keys.find((key) => key.environment === environment && key.state === 'active');
      const answer = old
        ? await this.ask('POST', `/keys/${old.id}/rotate`, { overlap: 'now' })
        : await this.ask('POST', '/keys', { name: `Demo, ${environment}`, environment });
      return (succeeded(answer, `${environment} key`).body as { key: string }).key;
    };
    return { live_key: await renewed('live'), test_key: await renewed('test') };
  }

  private async giveCreditsAndLimit(): Promise<void> {
    const { accountId } = await requireSession(this.accounts, this.visitor);
    const entitlement = new EntitlementClient(this.entitlement);
    const reason = 'For trying out';
    await entitlement.grantByOperator(accountId, { ...CREDITS, reason });
    const now = this.services.clock.now().getTime();
    const until = new Date(now + LIMITS_DAYS * DAY_MS).toISOString();
    for (const limit of LIMITS) {
      await entitlement.overrideLimit(accountId, { ...limit, reason, until });
    }
  }

  private async ask(method: 'GET' | 'POST', path: string, body?: object): Promise<ProxiedAnswer> {
    const { visitor } = this;
    const internal = `/internal/dashboard${path}`;
    const call = { method, path: internal, visitor, body, timeoutMs: CALL_TIMEOUT_MS };
    const answer = await this.accounts.call(call);
    if (answer.beginsSession) visitor.sessionToken = answer.beginsSession;
    return answer;
  }
}

/** Returns the answer of a call. @throws Error with the refusal of the account service as the cause. */
function succeeded(answer: ProxiedAnswer, what: string): ProxiedAnswer {
  if (!answer.refusal) return answer;
  throw new Error(`${what} of the demo account was refused`, { cause: answer.refusal });
}
