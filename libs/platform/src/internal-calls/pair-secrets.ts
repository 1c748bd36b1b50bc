import { hkdfSync } from 'node:crypto';

export const SERVICE_NAMES = [
  'gateway',
  'account',
  'billing',
  'entitlement',
  'lookup',
  'corpus',
  'worker',
  'dashboard',
  'cli',
] as const;

export type ServiceName = (typeof SERVICE_NAMES)[number];

const SECRET_BYTES = 32;
const PAIR_LINE = /^([a-z]+)>([a-z]+)=([A-Za-z0-9_-]{43})$/;

/**
 * The secrets that sign and verify calls, one for each caller and audience: with the secrets of one service, calls from
 * and to that service can be signed, but none between two others.
 *
 * The text is either an installation's secret, from which the secrets of all pairs are derived, or the pairs of one
 * service, one `caller>audience=secret` per line. During a rotation, each pair has two secrets: the first one signs,
 * both are accepted.
 */
export class PairSecrets {
  private readonly byPair = new Map<string, string[]>();

  /** @param text in a form that `SERVICE_SECRET_FORM` allows. */
  constructor(readonly text: string) {
    for (const line of text.split('\n').map((one) => one.trim())) {
      const [, caller, audience, secret] = PAIR_LINE.exec(line) ?? [];
      if (secret) this.add(`${caller}>${audience}`, secret);
      else for (const pair of allPairs()) this.add(pair, derivedSecret(line, pair));
    }
  }

  /** Returns the secrets for signing and verifying, the signing one first; empty if they belong to another service. */
  of(caller: string, audience: string): readonly string[] {
    return this.byPair.get(`${caller}>${audience}`) ?? [];
  }

  /** Returns the `SERVICE_SECRET` of one service: the secrets for its own calls and for calls to it. */
  textFor(service: ServiceName): string {
    const own = [...this.byPair].filter(([pair]) => pair.split('>').includes(service));
    return own
      .flatMap(([pair, secrets]) => secrets.map((secret) => `${pair}=${secret}`))
      .join('\n');
  }

  private add(pair: string, secret: string): void {
    const known = this.byPair.get(pair);
    if (known) known.push(secret);
    else this.byPair.set(pair, [secret]);
  }
}

function allPairs(): string[] {
  return SERVICE_NAMES.flatMap((caller) =>
    SERVICE_NAMES.map((audience) => `${caller}>${audience}`),
  );
}

/** Derives the secret of a pair (HKDF, RFC 5869). */
function derivedSecret(installationSecret: string, pair: string): string {
  const bytes = hkdfSync('sha256', installationSecret, '', `service ${pair}`, SECRET_BYTES);
  return Buffer.from(bytes).toString('base64url');
}
