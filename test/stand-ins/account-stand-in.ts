import type { IncomingMessage } from 'node:http';
import { type KeyFacts, generateApiKey, hashApiKey } from '#libs/contracts';
import { newId } from '#libs/platform';
import { JsonServer, ListFeed } from './json-server.js';

/** Account as the gateway sees it. */
export class AccountStandIn extends JsonServer {
  readonly feed = new ListFeed();
  /** Runs before a key is answered, to let things happen in between. */
  beforeAnswer: (() => void) | undefined;
  private readonly keys = new Map<string, KeyFacts>();

  constructor(private readonly pepper: string) {
    super();
  }

  /** A new key with full rights. @returns the key itself and its facts, which may be changed in place. */
  addKey(facts: Partial<KeyFacts> = {}): { apiKey: string; facts: KeyFacts } {
    const apiKey = generateApiKey(facts.environment ?? 'live');
    const whole: KeyFacts = {
      keyId: newId(),
      accountId: newId(),
      accountState: 'active',
      state: 'active',
      environment: 'live',
      scopes: ['whois'],
      allowedAddresses: [],
      rank: 1,
      ...facts,
    };
    this.keys.set(hashApiKey(apiKey, this.pepper), whole);
    return { apiKey, facts: whole };
  }

  get keyQueries(): number {
    return this.calls.filter((call) => call.includes('/internal/keys/by-hash/')).length;
  }

  protected answer(request: IncomingMessage, body: unknown): object {
    if (request.url === '/internal/changes') {
      return this.feed.page((body as { cursor?: { snapshot: string } }).cursor);
    }
    const hash = request.url!.split('/').at(-1)!;
    const key = structuredClone(this.keys.get(hash)) ?? null;
    this.beforeAnswer?.();
    return { key };
  }
}
