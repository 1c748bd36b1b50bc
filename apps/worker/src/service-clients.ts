import {
  AccountClient,
  CorpusClient,
  EntitlementClient,
  LookupClient,
  ServiceHttp,
} from '#libs/contracts';
import { Problem, type ServiceName, type ServiceTokens } from '#libs/platform';
import type { WorkerConfig } from './worker.config.js';

/** More than chunks, checks and the collector use at once: otherwise, some would wait for one another's slow registries. */
const LOOKUP_CONNECTIONS = 64;

type Urls = Pick<WorkerConfig, 'accountUrl' | 'entitlementUrl' | 'corpusUrl' | 'lookupUrl'>;

export class ServiceClients {
  readonly account: AccountClient;
  readonly entitlement: EntitlementClient;
  readonly corpus: CorpusClient;
  readonly lookup: LookupClient;
  private readonly connections: ServiceHttp[] = [];

  constructor({ accountUrl, entitlementUrl, corpusUrl, lookupUrl }: Urls, tokens: ServiceTokens) {
    const connect = (audience: ServiceName, url: string, connections?: number) => {
      const connection = new ServiceHttp({ caller: 'worker', tokens, url, audience, connections });
      this.connections.push(connection);
      return connection;
    };
    this.account = new AccountClient(connect('account', accountUrl));
    this.entitlement = new EntitlementClient(connect('entitlement', entitlementUrl));
    this.corpus = new CorpusClient(connect('corpus', corpusUrl));
    this.lookup = new LookupClient(connect('lookup', lookupUrl, LOOKUP_CONNECTIONS));
  }

  /** @returns undefined if the account no longer exists. */
  async mailAddressOf(accountId: string): Promise<string | undefined> {
    try {
      return (await this.account.billingContact(accountId)).email;
    } catch (error) {
      if (error instanceof Problem && error.status === 404) return undefined;
      throw error;
    }
  }

  /**
   * Returns those of the given names that are suppressed.
   * @param ifAway called with the error if corpus does not answer; no name then counts as
   *   suppressed. Without `ifAway`, the error is thrown.
   */
  async suppressedOf(
    names: readonly string[],
    ifAway?: (error: unknown) => void,
  ): Promise<ReadonlySet<string>> {
    if (names.length === 0) return new Set();
    try {
      return new Set(await this.corpus.suppressedNames([...names]));
    } catch (error) {
      if (!ifAway) throw error;
      ifAway(error);
      return new Set();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
  }
}
