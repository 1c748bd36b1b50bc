import { waitFor } from '#test/environment';
import type { Deployment } from './deployment.js';

export interface Answer {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- stories read members of many bodies
  body: any;
}

const CALL_LIMIT_MS = 60_000;

export type Origins = Pick<Deployment, 'apiUrl' | 'dashboardUrl' | 'mailbox'>;

/** A person in a story, with a browser and its cookies, an e-mail address, a password and keys. */
export class Customer {
  private readonly cookies = new Map<string, string>();
  private csrfToken = '';
  readonly password = 'correct horse battery staple 42';
  accountId = '';
  key = '';
  testKey = '';

  constructor(
    protected readonly origins: Origins,
    readonly email: string,
    readonly firstName = 'Ada',
    /** The customer's IP address behind a trusted proxy, because attempts are counted by network. */
    private readonly network?: string,
  ) {}

  /**
   * Makes a call as the dashboard's own script does, with cookies, origin and the CSRF token. A GET request is repeated
   * if it is answered 503, as can happen on a busy machine.
   */
  async call(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return waitFor(`an answer to ${method} ${path}`, async () => {
      const answer = await this.callOnce(method, path, body, headers);
      return method === 'GET' && answer.status === 503 ? undefined : answer;
    });
  }

  private async callOnce(
    method: string,
    path: string,
    body: object | undefined,
    headers: Record<string, string>,
  ): Promise<Answer> {
    if (this.csrfToken === '' && path !== '/api/session') await this.call('GET', '/api/session');
    const response = await fetch(`${this.origins.dashboardUrl}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        origin: this.origins.dashboardUrl,
        'sec-fetch-site': 'same-origin',
        ...(this.network && { 'x-forwarded-for': this.network }),
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(this.csrfToken && { 'x-csrf-token': this.csrfToken }),
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(CALL_LIMIT_MS),
    });
    this.takeCookies(response.headers);
    return answerOf(response);
  }

  /** Signs up, and confirms with the link from the mailbox. Afterwards, the customer is logged in and has both keys. */
  async join(): Promise<void> {
    const signedUp = await this.call('POST', '/api/sign-up', {
      first_name: this.firstName,
      email: this.email,
      password: this.password,
    });
    if (signedUp.status !== 202) throw new Error(JSON.stringify(signedUp.body));
    const confirmed = await this.call('POST', '/api/sign-up/confirm', {
      token: await this.mailedToken('/sign-up/confirm'),
      password: this.password,
    });
    if (confirmed.status !== 201) throw new Error(JSON.stringify(confirmed.body));
    this.accountId = confirmed.body.account_id;
    this.key = confirmed.body.key;
    this.testKey = confirmed.body.test_key;
  }

  /** Signs up and waits for the trial credits, which an event grants a moment after the confirmation. */
  async joinWithCredits(): Promise<void> {
    await this.join();
    await waitFor('the trial credits', async () => (await this.spendable()) > 0);
  }

  /** Returns the credits that can be spent or are reserved, because unused reserved credits are returned. */
  async spendable(): Promise<number> {
    const { body } = await this.call('GET', '/api/balance');
    return body.spendable + body.reserved;
  }

  async waitForCredits(expected: number): Promise<void> {
    let found: number | undefined;
    const isThere = async () => (found = await this.spendable()) === expected;
    await waitFor(`${expected} credits`, isThere).catch((error: Error) => {
      throw new Error(`${error.message}; found ${found}`);
    });
  }

  async logIn(password = this.password): Promise<Answer> {
    return this.call('POST', '/api/log-in', { email: this.email, password });
  }

  async mailedToken(page: string): Promise<string> {
    return waitFor(`an e-mail with a link to ${page}`, async () => {
      const mails = await this.origins.mailbox.newest(100);
      const links = mails
        .filter(({ to }) => to === this.email)
        .flatMap(({ text }) => text.match(/https?:\/\/\S+/g) ?? []);
      const link = links.find((candidate) => new URL(candidate).pathname === page);
      return link && new URL(link).searchParams.get('token');
    });
  }

  /** Waits for an e-mail to this customer whose subject contains these words. */
  async mailed(words: string) {
    return waitFor(`the e-mail "${words}"`, async () => {
      const mails = await this.origins.mailbox.newest(100);
      return mails.find(({ to, subject }) => to === this.email && subject.includes(words));
    });
  }

  /** Makes a live lookup in version 1 or 2 of the API, by default with this customer's live key. */
  async lookUp(domainName: string, version: 1 | 2 = 2, key = this.key): Promise<Answer> {
    const path =
      version === 2
        ? `/v2.0/whois/live?format=json&domainName=${domainName}`
        : `/v1.0/whois?whois=live&domainName=${domainName}`;
    return this.get(`${path}&apiKey=${key}`);
  }

  /** Returns the limit of class `live`, as stated in an answer to the test key, which costs nothing. */
  async liveLimit(): Promise<number> {
    const { headers } = await this.lookUp('registered.test', 2, this.testKey);
    return Number(headers.get('x-ratelimit-allowed-requests'));
  }

  async api(method: string, path: string, body?: object, key = this.key) {
    const answer = await fetch(`${this.origins.apiUrl}${path}`, {
      method,
      headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    return { status: answer.status, bytes, json: () => JSON.parse(bytes.toString()) };
  }

  async get(path: string): Promise<Answer> {
    return answerOf(await fetch(`${this.origins.apiUrl}${path}`));
  }

  private takeCookies(headers: Headers): void {
    this.csrfToken = headers.get('x-csrf-token') ?? this.csrfToken;
    for (const cookie of headers.getSetCookie()) {
      const [pair] = cookie.split(';');
      const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text,
  };
}
