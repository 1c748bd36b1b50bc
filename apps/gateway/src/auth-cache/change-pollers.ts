import type { ChangeCursor, ChangePage } from '#libs/contracts';
import { type Logger, Loop, SECOND_MS, monotonicMs } from '#libs/platform';
import { FEED_GRACE_MS, type AuthCache } from './auth-cache.js';

/** A service that offers a feed of the accounts changed since a cursor. */
export interface ChangeSource {
  name: string;
  changes(cursor?: ChangeCursor): Promise<ChangePage>;
}

interface Feed {
  source: ChangeSource;
  token?: string;
  cursor?: ChangeCursor;
  lastGoodMs: number;
}

export interface ChangePollersOptions {
  authCache: AuthCache;
  sources: ChangeSource[];
  logger: Logger;
  intervalMs?: number;
}

/**
 * Polls each owner's change feed, every second by default, and drops the accounts that the feed names. Records are
 * trusted for 60 seconds after both feeds were last polled successfully. If a feed's token changes, its database was
 * restored or replaced, so everything is dropped; likewise after 60 seconds without a successful poll.
 */
export class ChangePollers {
  private readonly feeds: Feed[];
  private readonly loops: Loop[];
  private readonly startedMs = monotonicMs();

  constructor(private readonly options: ChangePollersOptions) {
    const { sources, logger, intervalMs = SECOND_MS } = options;
    this.feeds = sources.map((source) => ({ source, lastGoodMs: -Infinity }));
    this.loops = this.feeds.map(
      (feed) =>
        new Loop({
          name: `change feed of ${feed.source.name}`,
          intervalMs,
          logger,
          work: async () => this.poll(feed),
        }),
    );
  }

  /** Resolves after the first poll of each feed, whether or not it succeeded. */
  async start(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.start()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  /**
   * Returns, for each source, the milliseconds since its last successful poll, or since the start if there has been
   * none.
   */
  ages(): [string, number][] {
    const nowMs = monotonicMs();
    return this.feeds.map(({ source, lastGoodMs }) => [
      source.name,
      nowMs - Math.max(lastGoodMs, this.startedMs),
    ]);
  }

  private async poll(feed: Feed): Promise<void> {
    const askedMs = monotonicMs();
    // The owner may already have deleted rows that follow a cursor of this age.
    if (askedMs - feed.lastGoodMs > FEED_GRACE_MS) feed.cursor = undefined;
    const page = await feed.source.changes(feed.cursor);
    this.apply(feed, page);
    feed.lastGoodMs = askedMs;
    const oldestGoodMs = Math.min(...this.feeds.map(({ lastGoodMs }) => lastGoodMs));
    this.options.authCache.trustUntil(oldestGoodMs + FEED_GRACE_MS);
  }

  private apply(feed: Feed, page: ChangePage): void {
    const { authCache } = this.options;
    const isContinued = feed.cursor !== undefined && feed.token === page.token;
    if (isContinued) for (const accountId of page.keys) authCache.drop(accountId);
    else authCache.dropAll();
    feed.token = page.token;
    feed.cursor = page.cursor;
  }
}
