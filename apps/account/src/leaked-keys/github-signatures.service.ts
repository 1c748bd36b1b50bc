import { type KeyObject, createPublicKey, verify } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, HOUR_MS, Logger, MINUTE_MS, SECOND_MS, ServiceUnavailable } from '#libs/platform';
import { AccountConfig } from '../account.config.js';
import { ReportRejected } from './leaked-keys.errors.js';

interface PublishedKey {
  key_identifier: string;
  /** The public key in PEM. */
  key: string;
}
type Keys = ReadonlyMap<string, KeyObject>;

const TIMEOUT_MS = 3 * SECOND_MS;
/** How long the keys are used. An unknown key id causes an earlier fetch, at most one a minute. */
const KEPT_MS = HOUR_MS;

/**
 * Verifies GitHub's signatures of secret scanning reports: ECDSA with SHA-256, in DER, over the raw bytes, by one of the
 * keys that GitHub publishes (docs.github.com, "Secret scanning partner program").
 */
@Injectable()
export class GithubSignaturesService {
  private last: { keys: Promise<Keys | undefined>; fetchedMs: number } | undefined;

  constructor(
    private readonly config: AccountConfig,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /**
   * @param keyId the id of GitHub's key.
   * @param signature in base64.
   * @throws ReportRejected; ServiceUnavailable if GitHub's keys cannot be fetched.
   */
  async check(body: Buffer, { keyId, signature }: { keyId: string; signature: string }) {
    const key = await this.keyOf(keyId);
    if (!key || !verify('sha256', body, key, Buffer.from(signature, 'base64'))) {
      throw new ReportRejected();
    }
  }

  private async keyOf(keyId: string): Promise<KeyObject | undefined> {
    const key = (await this.keysWithin(KEPT_MS))?.get(keyId);
    if (key) return key;
    const newest = await this.keysWithin(MINUTE_MS);
    if (!newest) throw new ServiceUnavailable('GitHub');
    return newest.get(keyId);
  }

  /** Returns the keys as fetched at most `ageMs` ago. If GitHub fails, the earlier ones stay; undefined if there are none. */
  private async keysWithin(ageMs: number): Promise<Keys | undefined> {
    const nowMs = this.clock.now().getTime();
    const { last } = this;
    if (last && nowMs - last.fetchedMs < ageMs) return last.keys;
    const keys = this.fetchKeys().catch((error: unknown) => {
      this.logger.warn('the keys of GitHub’s secret scanning could not be fetched', { err: error });
      return last?.keys;
    });
    this.last = { keys, fetchedMs: nowMs };
    return keys;
  }

  private async fetchKeys(): Promise<Keys> {
    const url = `${this.config.githubApiUrl}/meta/public_keys/secret_scanning`;
    const answer = await fetch(url, {
      headers: { accept: 'application/vnd.github+json', 'user-agent': 'domain-data-service' },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!answer.ok) throw new Error(`GitHub answers ${answer.status}`);
    const { public_keys: published } = (await answer.json()) as { public_keys: PublishedKey[] };
    return new Map(published.map(({ key_identifier: id, key }) => [id, createPublicKey(key)]));
  }
}
