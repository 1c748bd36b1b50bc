import type { IncomingMessage } from 'node:http';
import { type KeyRecord, generateApiKey, hashApiKey } from '#libs/contracts';
import { newId } from '#libs/platform';
import { JsonServer, ListFeed } from './json-server.js';

export class AccountStandIn extends JsonServer {
  readonly feed = new ListFeed();
  /** Called after a key was looked up and before it is returned, so that a test can act in between. */
  beforeAnswer: (() => void) | undefined;
  /** Every key that the gateway has reported as used, once per report. */
  readonly usedKeys: string[] = [];
  private readonly keys = new Map<string, KeyRecord>();

  constructor(private readonly pepper: string) {
    super();
  }

  /**
   * Creates a key: by default, an active live key with the scope `whois`. The test may change the returned record in
   * place.
   */
  addKey(record: Partial<KeyRecord> = {}): { apiKey: string; keyRecord: KeyRecord } {
    const apiKey = generateApiKey(record.environment ?? 'live');
    const whole: KeyRecord = {
      keyId: newId(),
      accountId: newId(),
      accountState: 'active',
      state: 'active',
      environment: 'live',
      scopes: ['whois'],
      allowedAddresses: [],
      rank: 1,
      ...record,
    };
    this.keys.set(hashApiKey(apiKey, this.pepper), whole);
    return { apiKey, keyRecord: whole };
  }

  get keyQueries(): number {
    return this.calls.filter((call) => call.includes('/internal/keys/by-hash/')).length;
  }

  protected override answer(request: IncomingMessage, body: unknown): object {
    if (request.url === '/internal/changes') {
      return this.feed.page((body as { cursor?: { snapshot: string } }).cursor);
    }
    if (request.url === '/internal/keys/used') {
      this.usedKeys.push(...(body as { keyIds: string[] }).keyIds);
      return {};
    }
    const hash = request.url!.split('/').at(-1)!;
    const key = structuredClone(this.keys.get(hash)) ?? null;
    this.beforeAnswer?.();
    return { key };
  }
}
