import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { CorpusClient, ServiceHttp } from '#libs/contracts';
import { parseHostName } from '#libs/domain-names';
import { Logger, Loop, Problem, ServiceTokens } from '#libs/platform';
import { type DnsLookup, type Lookup, recordText } from '#libs/resolvers';
import { LookupConfig } from '../lookup.config.js';
import { ObservationRing } from './observation-ring.js';
import { dnsLine, whoisLine } from './observed-lines.js';

const EVERY_MS = 200;
const SEND_TIMEOUT_MS = 10_000;
const LIMITS = { lines: 20_000, bytes: 32 * 1024 * 1024 };
const BATCH_BYTES = 2 * 1024 * 1024;
const FAILED = 500;
const UNAVAILABLE = 503;
/** The size of a line apart from its texts. */
const LINE_BYTES = 2_000;

/**
 * Sends answers to the corpus in batches, independently of the answers to callers. While the corpus is unavailable,
 * observations wait in a bounded queue; lookups do not wait.
 */
@Injectable()
export class ObservationsService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly ring = new ObservationRing(LIMITS);
  private readonly noted = new WeakSet<object>();
  private readonly http?: ServiceHttp;
  private readonly loop: Loop;
  /** The size of the next batch: less than `BATCH_BYTES` after the corpus has failed on a batch. */
  private batchBytes = BATCH_BYTES;
  private handedOver = 0;
  private refused = 0;

  constructor(
    private readonly config: LookupConfig,
    tokens: ServiceTokens,
    private readonly logger: Logger,
  ) {
    const { corpusUrl: url, keep } = config;
    if (url !== undefined && keep !== 'none') {
      const audience = 'corpus';
      this.http = new ServiceHttp({
        url,
        caller: 'lookup',
        audience,
        tokens,
        timeoutMs: SEND_TIMEOUT_MS,
      });
    }
    const name = 'observations for the corpus';
    this.loop = new Loop({ name, intervalMs: EVERY_MS, logger, work: async () => this.send() });
  }

  /**
   * Returns the numbers of observations that were sent, dropped and refused since the start, and of those that wait.
   */
  get counts() {
    const { handedOver, refused, ring } = this;
    return { handedOver, refused, dropped: ring.dropped, waiting: ring.size };
  }

  onApplicationBootstrap(): void {
    if (this.http) void this.loop.start(EVERY_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.loop.stop();
    await this.send().catch(() => {});
    await this.http?.close();
  }

  /**
   * Queues the result of a WHOIS lookup, if the corpus stores answers. A lookup that several callers share is queued
   * once. Servers whose answers could not be read are logged.
   */
  noteWhois(lookup: Lookup): void {
    this.logUnreadable(lookup);
    if (!this.isNews(lookup)) return;
    const texts = lookup.sources.reduce((sum, { raw }) => sum + (raw?.length ?? 0), LINE_BYTES);
    this.ring.add(() => whoisLine(lookup, this.config.keep), texts);
  }

  /**
   * Queues the DNS records of a registrable name in the same way. Host names that customers request are not stored: a
   * host is queued only if the corpus asked for it (`isCollected`), and only if it has an address or every type was
   * answered; otherwise, it would be unknown whether it has an address. Private addresses of a host count as none, so
   * that the host is not looked up again in every pass.
   */
  noteDns(
    lookup: DnsLookup,
    types: readonly string[],
    { at, isCollected = false }: { at: Date; isCollected?: boolean },
  ): void {
    if (!this.isNews(lookup)) return;
    const parsed = parseHostName(lookup.name);
    if (!parsed.ok) return;
    const isHost = parsed.hostName.domain.name !== lookup.name;
    const hasAddress = lookup.records.some((record) => 'address' in record);
    const stored = isHost ? withoutPrivate(lookup) : lookup;
    const isCertain = hasAddress || Object.keys(stored.errors).length === 0;
    if (isHost && !(isCollected && isCertain)) return;
    const texts = lookup.records.reduce((sum, one) => sum + recordText(one).length, LINE_BYTES);
    this.ring.add(() => dnsLine(stored, types, at), texts);
  }

  /** The texts themselves are not logged, because they contain personal data (S119). */
  private logUnreadable({ domain, sources }: Lookup): void {
    for (const { outcome, protocol, role, server, raw = '' } of sources) {
      if (outcome !== 'parse_failed') continue;
      const tld = domain.slice(domain.lastIndexOf('.') + 1);
      const fields = { protocol, role, server, tld, length: raw.length };
      this.logger.sparsely('warn', `unreadable ${tld}`, 'an answer could not be read', fields);
    }
  }

  private isNews(lookup: object): boolean {
    if (!this.http || this.noted.has(lookup)) return false;
    this.noted.add(lookup);
    return true;
  }

  private async send(): Promise<void> {
    while (this.http && this.ring.size > 0) {
      const batch = this.ring.take(this.batchBytes);
      if (batch.lines === 0) continue;
      try {
        await new CorpusClient(this.http).observe(batch.text);
        this.handedOver += batch.lines;
        this.batchBytes = Math.min(BATCH_BYTES, this.batchBytes * 2);
      } catch (error) {
        const status = error instanceof Problem ? error.status : UNAVAILABLE;
        // A line on which the corpus fails is found by halving the batch, so that it does not hold up the other lines.
        const isBad = status === FAILED && batch.lines === 1;
        // A rejected batch is not sent again, because the corpus would reject it again.
        const isRefused = status < FAILED || isBad;
        if (isRefused) this.refused += batch.lines;
        else batch.putBack();
        if (status === FAILED) this.batchBytes = isBad ? BATCH_BYTES : batch.bytes / 2;
        throw error;
      }
    }
  }
}

/** Returns the lookup as if types whose addresses were hidden, because they are private, had no records. */
function withoutPrivate(lookup: DnsLookup): DnsLookup {
  const errors = Object.entries(lookup.errors).filter(([, error]) => error !== 'private_address');
  return { ...lookup, errors: Object.fromEntries(errors) };
}
