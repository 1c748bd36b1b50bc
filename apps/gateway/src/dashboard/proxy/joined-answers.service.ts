import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { AccountExports } from '#libs/database';
import { MINUTE_MS, NotLoggedIn } from '#libs/platform';
import { TooManyExports } from '../dashboard.errors.js';
import { ServiceProxies } from './service-proxies.js';
import type { ProxiedCall } from './service-proxy.js';

/** One of the services that answer together. */
export interface PartOwner {
  service: Parameters<ServiceProxies['of']>[0];
  path: string;
}

/** So that slow readers leave connections to every other page; one of each account, so that none takes all. */
const JOINED_MAX = 4;
/** Until the last byte is read. */
const TIMEOUT_MS = 10 * MINUTE_MS;

/** Answers of several services as one JSON object with a member for each, streamed as they come. */
@Injectable()
export class JoinedAnswersService {
  /** Accounts whose answer is being read. */
  private readonly running = new Set<string>();

  constructor(
    private readonly proxies: ServiceProxies,
    /** The gateway's own part. */
    private readonly own: AccountExports,
  ) {}

  /**
   * Every service has begun to answer before the first byte goes out; one that breaks off later ends the text
   * before its end.
   * @throws TooManyExports; a service's refusal; ServiceUnavailable.
   */
  async join(owners: readonly PartOwner[], call: ProxiedCall): Promise<Readable> {
    const { accountId } = call;
    if (accountId === undefined) throw new NotLoggedIn();
    if (this.running.has(accountId) || this.running.size >= JOINED_MAX) throw new TooManyExports();
    this.running.add(accountId);
    const parts: [string, AsyncIterable<string | Buffer>][] = [];
    try {
      for (const { service, path } of owners) {
        const part =
          service === 'gateway'
            ? this.own.write(accountId)
            : (await this.proxies.of(service).stream({ ...call, path, timeoutMs: TIMEOUT_MS }))
                .body;
        parts.push([service, part]);
      }
    } catch (error) {
      this.running.delete(accountId);
      for (const [, part] of parts) if (part instanceof Readable) part.destroy();
      throw error;
    }
    const joined = Readable.from(joinedText(accountId, parts), { objectMode: false });
    return joined.once('close', () => {
      this.running.delete(accountId);
      for (const [, part] of parts) if (part instanceof Readable) part.destroy();
    });
  }
}

async function* joinedText(
  accountId: string,
  parts: readonly [string, AsyncIterable<string | Buffer>][],
): AsyncGenerator<string | Buffer> {
  yield `{"account_id":${JSON.stringify(accountId)}`;
  for (const [name, text] of parts) {
    yield `,${JSON.stringify(name)}:`;
    yield* text;
  }
  yield '}\n';
}
