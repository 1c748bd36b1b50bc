import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SECOND_MS, SystemClock, escapeHtml, isFromThisMachine } from '#libs/platform';

export interface SimulatedUser {
  subject: number;
  email: string;
  name: string;
  isVerified: boolean;
}

export interface TokenFaults {
  header?: Record<string, unknown>;
  claims?: Record<string, unknown>;
  /** Whether the token is signed by a key that is not published. */
  isForeignKey?: boolean;
  isMissing?: boolean;
}

interface Grant {
  user: SimulatedUser;
  nonce: string | null;
  challenge: string;
  redirectUri: string;
}

const TOKEN_SECONDS = 300;
const CLIENT = 'simulator';

/**
 * Simulates Google's OpenID Connect and GitHub's OAuth 2.0 with PKCE, with a page where a user can choose any identity.
 */
export class IdentitySimulator {
  faults: TokenFaults = {};
  readonly secret = randomBytes(24).toString('base64url');
  private currentKeys?: Keys;
  private readonly grants = new Map<string, Grant>();
  private readonly users = new Map<string, SimulatedUser>();
  private readonly server = createServer((request, response) => {
    // A request from a web page, or a lost connection, must not end the process.
    this.serve(request, response).catch(() => response.writeHead(400).end());
  });
  private readonly clock = new SystemClock();
  private url = '';

  /** Starts the providers. @returns the settings for the account service. */
  async start(): Promise<Record<string, string>> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    this.url = `http://localhost:${(this.server.address() as AddressInfo).port}`;
    return {
      GOOGLE_CLIENT_ID: CLIENT,
      GOOGLE_CLIENT_SECRET: this.secret,
      GOOGLE_ISSUER: `${this.url}/google`,
      GITHUB_CLIENT_ID: CLIENT,
      GITHUB_CLIENT_SECRET: this.secret,
      GITHUB_URL: `${this.url}/github`,
      GITHUB_API_URL: `${this.url}/github/api`,
    };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** From now on, signs tokens with a new key, which has a new id. */
  rotateKeys(): void {
    this.currentKeys = newKeys();
  }

  /** Creates the key pair at its first use, because this takes a tenth of a second and most runs sign nothing. */
  private get keys(): Keys {
    return (this.currentKeys ??= newKeys());
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    if (url.pathname.endsWith('/authorize') && !isFromThisMachine(request)) {
      return void response.writeHead(403).end();
    }
    const json = (body: object, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const form = new URLSearchParams(request.method === 'POST' ? await text(request) : '');
    switch (url.pathname) {
      case '/google/.well-known/openid-configuration':
        return void json(this.metadata());
      case '/google/jwks':
        return void json({ keys: [this.keys.jwk] });
      case '/google/authorize':
      case '/github/login/oauth/authorize':
        return this.authorize(request, response, url, form);
      case '/google/token':
      case '/github/login/oauth/access_token':
        return void this.token(url, form, json);
      case '/github/api/user':
      case '/github/api/user/emails':
        return void this.githubUser(request, url, json);
      default:
        response.writeHead(404).end();
    }
  }

  private metadata() {
    const issuer = `${this.url}/google`;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
    };
  }

  /** Shows the page on GET, and accepts the chosen identity on POST. */
  private authorize(
    request: IncomingMessage,
    response: ServerResponse,
    { searchParams: asked, pathname, search }: URL,
    form: URLSearchParams,
  ): void {
    const isSound =
      asked.get('client_id') === CLIENT &&
      asked.get('response_type') === 'code' &&
      asked.get('code_challenge_method') === 'S256';
    if (!isSound) return void response.writeHead(400).end('a parameter is missing');
    if (request.method !== 'POST') {
      const name = pathname.startsWith('/google') ? 'Google' : 'GitHub';
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      return void response.end(whoPage(name, pathname + search));
    }
    const returned = new URL(asked.get('redirect_uri') ?? '');
    returned.searchParams.set('state', asked.get('state') ?? '');
    if (form.has('refused')) returned.searchParams.set('error', 'access_denied');
    else {
      const code = randomBytes(16).toString('base64url');
      const [email, name] = [form.get('email') ?? '', form.get('name') ?? ''];
      const subject = createHash('sha256').update(email).digest().readUInt32BE(0);
      this.grants.set(code, {
        user: { subject, email, name, isVerified: !form.has('unverified') },
        nonce: asked.get('nonce'),
        challenge: asked.get('code_challenge') ?? '',
        redirectUri: asked.get('redirect_uri') ?? '',
      });
      returned.searchParams.set('code', code);
    }
    response.writeHead(303, { location: returned.href }).end();
  }

  /**
   * Exchanges a code for tokens. A code is valid once, and only together with the client's secret, the redirect URI of
   * its request and the matching PKCE verifier.
   */
  private token(
    { pathname }: URL,
    form: URLSearchParams,
    json: (body: object, status?: number) => void,
  ): void {
    const grant = this.grants.get(form.get('code') ?? '');
    this.grants.delete(form.get('code') ?? '');
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isSound =
      grant?.challenge === proof &&
      grant.redirectUri === form.get('redirect_uri') &&
      form.get('client_secret') === this.secret;
    if (!isSound) return json({ error: 'invalid_grant' }, 400);
    const accessToken = randomBytes(16).toString('base64url');
    this.users.set(accessToken, grant.user);
    const answer = { access_token: accessToken, token_type: 'bearer', scope: 'user:email' };
    const isOidc = pathname.startsWith('/google') && !this.faults.isMissing;
    json(isOidc ? { ...answer, id_token: this.idToken(grant) } : answer);
  }

  private idToken({ user, nonce }: Grant): string {
    const { header, claims, isForeignKey } = this.faults;
    const keys = isForeignKey ? newKeys() : this.keys;
    const nowSeconds = Math.floor(this.clock.now().getTime() / SECOND_MS);
    const head = { alg: 'RS256', kid: this.keys.jwk.kid, typ: 'JWT', ...header };
    const body = {
      iss: `${this.url}/google`,
      aud: CLIENT,
      sub: String(user.subject),
      iat: nowSeconds,
      exp: nowSeconds + TOKEN_SECONDS,
      nonce: nonce ?? undefined,
      email: user.email,
      email_verified: user.isVerified,
      given_name: user.name,
      ...claims,
    };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = `${part(head)}.${part(body)}`;
    return `${signed}.${sign('sha256', Buffer.from(signed), keys.privateKey).toString('base64url')}`;
  }

  private githubUser(
    { headers }: IncomingMessage,
    { pathname }: URL,
    json: (body: object, status?: number) => void,
  ): void {
    const user = this.users.get(headers.authorization?.replace(/^bearer /i, '') ?? '');
    if (!user) return json({ message: 'Bad credentials' }, 401);
    if (!pathname.endsWith('/emails'))
      return json({ id: user.subject, login: 'simulated', name: user.name });
    json([
      { email: `other-${user.email}`, primary: false, verified: true, visibility: null },
      { email: user.email, primary: true, verified: user.isVerified, visibility: 'private' },
    ]);
  }
}

type Keys = ReturnType<typeof newKeys>;

function newKeys() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const kid = randomBytes(6).toString('hex');
  return {
    privateKey,
    jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' },
  };
}

function whoPage(provider: string, action: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${provider} (simulator)</title></head>
<body>
<main>
<h1>${provider} (simulator)</h1>
<p role="note">This page replaces ${provider}. It accepts any identity that you enter.</p>
<form method="post" action="${escapeHtml(action)}">
<p><label>E-mail <input name="email" type="email" value="ada@example.com" required></label></p>
<p><label>First name <input name="name" value="Ada"></label></p>
<p><label><input type="checkbox" name="unverified" value="1"> The address is not verified</label></p>
<p><button>Continue</button> <button name="refused" value="1" formnovalidate>Refuse</button></p>
</form>
</main>
</body>
</html>
`;
}
