import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceHttp } from '#libs/contracts';
import { ServiceTokens, newId } from '#libs/platform';
import {
  type AccountAnswer,
  AccountRelay,
  type Visitor,
} from '../../../gateway/src/dashboard/account-relay.js';
import type { DemoFacts } from '../announcement/solo-facts.js';
import type { DataFolder } from '../data-folder/data-folder.js';
import type { Secrets } from '../data-folder/secrets.js';
import type { SoloServices } from './solo-services.js';

const FILE = 'demo.json';
const EMAIL = 'demo@example.com';
const PASSWORD_LENGTH = 20;
/** On top of the trial's credits. The id makes a repeated grant count once. */
const CREDITS = { adjustmentId: '0197c000-0000-7000-8000-000000000001', amount: 5_000 };
const KEYS_OF_TRIAL = 1;
const MAIL_TIMEOUT_MS = 15_000;
const POLL_MS = 20;

/**
 * The account a newcomer plays with: signed up, confirmed and given keys by the same calls as a
 * browser's, and credits by the operator's. A start that was killed half-way is completed by the next.
 */
export async function seedDemoAccount(
  services: SoloServices,
  folder: DataFolder,
  secrets: Secrets,
): Promise<DemoFacts> {
  const known = folder.readJson<DemoFacts>(FILE);
  if (known) return known;
  const tokens = new ServiceTokens(secrets.get('service'), services.clock);
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

interface IssuedKey {
  key: { id: string; environment: 'live' | 'test'; state: string };
  api_key?: string;
}

class DemoSeed {
  private readonly accounts: AccountRelay;
  private readonly entitlement: ServiceHttp;
  private readonly visitor: Visitor = { clientAddress: '127.0.0.1', requestId: newId() };

  constructor(
    private readonly services: SoloServices,
    tokens: ServiceTokens,
    private readonly password: string,
  ) {
    this.accounts = new AccountRelay(services.accountUrl, tokens);
    this.entitlement = new ServiceHttp({
      url: services.entitlementUrl,
      caller: 'cli',
      audience: 'entitlement',
      tokens,
    });
  }

  async run(): Promise<DemoFacts> {
    const password = this.password;
    const liveKey = (await this.logIn()) ? await this.keyAnew('live') : await this.signUp();
    const testKey = await this.keyAnew('test');
    await this.grantCredits();
    return { email: EMAIL, password, test_key: testKey, live_key: liveKey };
  }

  async close(): Promise<void> {
    await this.accounts.close();
    await this.entitlement.close();
  }

  private async logIn(): Promise<boolean> {
    const answer = await this.ask('POST', '/log-in', { email: EMAIL, password: this.password });
    return answer.refusal === undefined;
  }

  /** @returns the first key, which the confirmation shows. */
  private async signUp(): Promise<string> {
    const person = { first_name: 'Demo', email: EMAIL, password: this.password };
    succeeded(await this.ask('POST', '/sign-up', person), 'sign-up');
    const token = await this.tokenFromMail();
    const confirmed = succeeded(
      await this.ask('POST', '/sign-up/confirm', { token }),
      'confirmation',
    );
    if (!this.visitor.sessionToken) await this.logIn();
    return (confirmed.body as IssuedKey).api_key ?? this.keyAnew('live');
  }

  private async tokenFromMail(): Promise<string> {
    for (let waitedMs = 0; waitedMs < MAIL_TIMEOUT_MS; waitedMs += POLL_MS) {
      const mails = await this.services.mailbox.newest(20);
      const mail = mails.find(({ to, text }) => to === EMAIL && text.includes('/sign-up/confirm'));
      const token = /[?&]token=([\w-]+)/.exec(mail?.text ?? '')?.[1];
      if (token) return token;
      await sleep(POLL_MS);
    }
    throw new Error('the confirmation mail of the demo account did not arrive');
  }

  /** A key whose text is known: a new one, or the one there is, rotated. */
  private async keyAnew(environment: 'live' | 'test'): Promise<string> {
    const listed = succeeded(await this.ask('GET', '/keys'), 'list of keys');
    const { keys } = listed.body as { keys: IssuedKey['key'][] };
    const old = keys.find((key) => key.environment === environment && key.state === 'active');
    const answer = old
      ? await this.ask('POST', `/keys/${old.id}/rotate`, { overlap: 'now' })
      : await this.ask('POST', '/keys', { name: `Demo, ${environment}`, environment });
    const { api_key } = succeeded(answer, `${environment} key`).body as IssuedKey;
    if (!api_key) throw new Error('account answered without the new key');
    return api_key;
  }

  private async grantCredits(): Promise<void> {
    const session = await this.accounts.session(this.visitor);
    if (!session) throw new Error('the session of the demo account is gone');
    await this.entitlement.call('POST', '/internal/operator/grants', {
      accountId: session.accountId,
      body: { ...CREDITS, reason: 'Credits of the demo account' },
    });
  }

  private async ask(method: 'GET' | 'POST', path: string, body?: object): Promise<AccountAnswer> {
    const { visitor } = this;
    const answer = await this.accounts.call({
      method,
      path,
      visitor,
      body,
      keyAllowance: KEYS_OF_TRIAL,
    });
    if (answer.beginsSession) visitor.sessionToken = answer.beginsSession;
    return answer;
  }
}

/** @throws with account's refusal as its cause. */
function succeeded(answer: AccountAnswer, what: string): AccountAnswer {
  if (!answer.refusal) return answer;
  throw new Error(`${what} of the demo account was refused`, { cause: answer.refusal });
}
