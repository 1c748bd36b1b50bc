import { Injectable } from '@nestjs/common';
import {
  ClientSecretPost,
  Configuration,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  fetchProtectedResource,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import type { Provider } from '#libs/contracts';
import { isMailAddress } from '#libs/domain-names';
import {
  Clock,
  HOUR_MS,
  Logger,
  NotFound,
  SECOND_MS,
  ServiceUnavailable,
  isLoopbackOrigin,
  machineMs,
} from '#libs/platform';
import { AccountConfig } from '../account.config.js';
import type { AskedProvider } from '../log-in-steps/step-contents.js';
import { ProviderRefused } from './identities.errors.js';

export interface ProvenIdentity {
  provider: Provider;
  /** The provider's id for the person, which stays the same when the address changes. */
  subject: string;
  /** The address; undefined unless the provider has verified the address and we can send e-mails to it. */
  address?: string;
  name: string;
}

const TIMEOUT_SECONDS = 5;
/**
 * How far a provider's clock may be ahead of ours; for the other times of a token, the library allows the same
 * difference.
 */
const CLOCK_SKEW_SECONDS = 30;
/** How long discovered metadata and keys are cached. An unknown key id causes an earlier refresh. */
const DISCOVERED_MS = HOUR_MS;
/**
 * Maximum number of log-ins that wait for a provider. Each occupies one of the dashboard's connections to this service,
 * and a provider that does not answer must not use them all up (S102).
 */
const WAITING_MAX = 16;
const GITHUB_VERSION = '2022-11-28';
/** The largest page of addresses that GitHub sends. By default, it sends 30, which may not include the primary one. */
const ADDRESSES_MAX = 100;

interface GithubAddress {
  email: string;
  primary: boolean;
  verified: boolean;
}

/**
 * Verifies identities with Google by OpenID Connect and with GitHub by OAuth 2.0, both with PKCE (RFC 7636) and a
 * state. The signature, issuer, audience, time and nonce of Google's ID token are checked (S36).
 */
@Injectable()
export class ProvidersService {
  private waiting = 0;
  private google: { found: Promise<Configuration>; untilMs: number } | undefined;

  constructor(
    private readonly config: AccountConfig,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  get offered(): Provider[] {
    const { googleClientId, githubClientId } = this.config;
    return [
      ...(googleClientId ? ['google' as const] : []),
      ...(githubClientId ? ['github' as const] : []),
    ];
  }

  /**
   * @returns the URL to which to redirect the visitor, and the data to keep until the visitor returns.
   * @throws NotFound, ProviderRefused, ServiceUnavailable.
   */
  async ask(provider: Provider): Promise<AskedProvider & { url: string }> {
    const client = await this.wait(() => this.clientOf(provider));
    const [state, verifier] = [randomState(), randomPKCECodeVerifier()];
    const nonce = provider === 'google' ? randomNonce() : '';
    const url = buildAuthorizationUrl(client, {
      redirect_uri: this.returnUrl(provider),
      scope: provider === 'google' ? 'openid email profile' : 'read:user user:email',
      state,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      // Otherwise, a provider that the visitor has used before sends the browser back without a click, even if somebody
      // else is using the computer. Google and GitHub offer nothing stricter.
      prompt: 'select_account',
      ...(nonce && { nonce }),
    });
    return { provider, state, nonce, verifier, url: url.href };
  }

  /**
   * Returns the identity that a provider proves for a visitor who has returned from it.
   * @param query the query string that the provider added to the redirect URI.
   * @throws ProviderRefused if anything is invalid; NotFound if the provider is no longer offered; ServiceUnavailable.
   */
  async confirm(asked: AskedProvider, query: string): Promise<ProvenIdentity> {
    const { provider } = asked;
    const returned = new URL(this.returnUrl(provider));
    returned.search = query;
    return this.wait(async () => {
      const client = await this.clientOf(provider);
      try {
        return await (provider === 'google'
          ? this.confirmGoogle(client, asked, returned)
          : this.confirmGithub(client, asked, returned));
      } catch (error) {
        throw this.refusal(provider, error);
      }
    });
  }

  /**
   * Calls a provider, unless too many log-ins already wait for one. @throws ServiceUnavailable; the errors of `work`.
   */
  private async wait<T>(work: () => Promise<T>): Promise<T> {
    if (this.waiting >= WAITING_MAX) throw new ServiceUnavailable('log-in providers');
    this.waiting += 1;
    try {
      return await work();
    } finally {
      this.waiting -= 1;
    }
  }

  private async confirmGoogle(
    client: Configuration,
    { verifier, state, nonce }: AskedProvider,
    returned: URL,
  ): Promise<ProvenIdentity> {
    const tokens = await authorizationCodeGrant(client, returned, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims?.sub) throw new Error('no ID token with a subject');
    if (claims.iat > machineMs() / SECOND_MS + CLOCK_SKEW_SECONDS) {
      throw new Error('the ID token was issued in the future');
    }
    const { sub, email, email_verified: isVerified, given_name: name } = claims;
    return {
      provider: 'google',
      subject: sub,
      address: isVerified === true && isMailAddress(email) ? email : undefined,
      name: typeof name === 'string' ? name : '',
    };
  }

  private async confirmGithub(
    client: Configuration,
    { verifier, state }: AskedProvider,
    returned: URL,
  ): Promise<ProvenIdentity> {
    const { access_token: token } = await authorizationCodeGrant(client, returned, {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
    const read = async (path: string) => {
      const headers = new Headers({
        accept: 'application/vnd.github+json',
        'x-github-api-version': GITHUB_VERSION,
        'user-agent': 'domain-data-service',
      });
      const url = new URL(this.config.githubApiUrl + path);
      const answer = await fetchProtectedResource(client, token, url, 'GET', null, headers);
      if (!answer.ok) throw new Error(`GitHub answers ${answer.status} to ${path}`);
      return answer.json() as Promise<unknown>;
    };
    const { id, name } = (await read('/user')) as { id?: unknown; name?: unknown };
    if (typeof id !== 'number') throw new Error('GitHub names no user');
    const addresses = (await read(`/user/emails?per_page=${ADDRESSES_MAX}`)) as GithubAddress[];
    const own = addresses.find(({ primary, verified }) => primary === true && verified === true);
    return {
      provider: 'github',
      subject: String(id),
      address: isMailAddress(own?.email) ? own.email : undefined,
      name: typeof name === 'string' ? name.split(' ', 1)[0] : '',
    };
  }

  private async clientOf(provider: Provider): Promise<Configuration> {
    if (!this.offered.includes(provider)) throw new NotFound();
    if (provider === 'github') return this.githubClient();
    const nowMs = this.clock.now().getTime();
    if (!this.google || this.google.untilMs <= nowMs) {
      this.google = { found: this.discoverGoogle(), untilMs: nowMs + DISCOVERED_MS };
    }
    try {
      return await this.google.found;
    } catch (error) {
      this.google = undefined;
      throw this.refusal(provider, error);
    }
  }

  private async discoverGoogle(): Promise<Configuration> {
    const { googleIssuer, googleClientId, googleClientSecret = '' } = this.config;
    const client = await discovery(
      new URL(googleIssuer),
      googleClientId as string,
      { id_token_signed_response_alg: 'RS256' },
      ClientSecretPost(googleClientSecret),
      {
        timeout: TIMEOUT_SECONDS,
        ...(isLoopbackOrigin(googleIssuer) && { execute: [allowInsecureRequests] }),
      },
    );
    // The signature is checked even though the token arrives over TLS.
    enableNonRepudiationChecks(client);
    return client;
  }

  private githubClient(): Configuration {
    const { githubUrl, githubClientId, githubClientSecret = '' } = this.config;
    const server = {
      issuer: githubUrl,
      authorization_endpoint: `${githubUrl}/login/oauth/authorize`,
      token_endpoint: `${githubUrl}/login/oauth/access_token`,
    };
    const client = new Configuration(
      server,
      githubClientId as string,
      {},
      ClientSecretPost(githubClientSecret),
    );
    client.timeout = TIMEOUT_SECONDS;
    if (isLoopbackOrigin(githubUrl)) allowInsecureRequests(client);
    return client;
  }

  private returnUrl(provider: Provider): string {
    return `${this.config.dashboardUrl}/log-in/${provider}/return`;
  }

  private refusal(provider: Provider, error: unknown): ProviderRefused {
    const { code, message } = error as { code?: string; message?: string };
    this.logger.warn('a log-in with an identity provider was rejected', {
      provider,
      code,
      message,
    });
    return new ProviderRefused(error);
  }
}
