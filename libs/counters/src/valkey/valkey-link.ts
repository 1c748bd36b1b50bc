import { Valkey } from 'iovalkey';
import { type Logger, SECOND_MS, monotonicMs, newId } from '#libs/platform';
import { BEAT, type Script, TAKE } from './scripts.js';
import { UPSTREAM_SCRIPTS } from './upstream-scripts.js';

const PREFIX = 'counters:';
const META = `${PREFIX}meta`;

/** The number of gateways to assume until the server has been reached once. */
const GATEWAYS_UNSEEN = 4;
/**
 * A lower count of gateways is accepted only after this time, in which the server must be reachable: when it comes back
 * from an outage, all gateways must first report to it.
 */
const FEWER_AFTER_MS = 15_000;
const BEAT_MS = SECOND_MS;
/** How often a slow or lost server is checked for recovery. */
const PROBE_MS = 100;
/** The delay of an answer after which the connection counts as dead; longer if a request may wait longer. */
const DEAD_MS = SECOND_MS;
/** The time limit for disconnecting: a server that hangs would not answer a QUIT either. */
const DISCONNECT_TIMEOUT_MS = 100;
const RECONNECT_MAX_MS = 500;

export interface ValkeyLinkOptions {
  /**
   * `redis://` or `rediss://` (TLS), with user name and password if the server needs them. A function can replace the
   * string; it is called for each new connection.
   */
  url: string | (() => string);
  /**
   * PEM of the authority that signed a `rediss://` server's certificate; by default, the authorities that Node trusts.
   */
  tlsCa?: string;
  /** A UUID; every process has its own. */
  gatewayId: string;
  /** Gateways of one group share limits; the default is `gateways`. */
  group?: 'gateways' | 'lookups';
  logger: Logger;
  /** The longest wait for an answer before requests are decided without it; 50 ms by default. */
  timeoutMs?: number;
  /** A clock that replaces the server's, in milliseconds, for tests. */
  nowMs?: () => number;
}

export interface TakeRequest {
  key: string;
  /** Requests per window. */
  limit: number;
  want: number;
  /** The number of tokens that the gateway wants to hold. */
  ahead: number;
  /** The number of tokens that the gateway still holds. */
  inHand: number;
  /** The usage not yet reported to the server, as alternating seconds and counts. */
  uses: readonly number[];
}

export interface TakeReply {
  granted: number;
  inHand: number;
  room: number;
  oldestSecond: number;
  nowMs: number;
  inOthersHands: number;
}

/** The error for a server with another epoch: it was emptied, restarted or replaced. */
export class OtherEpoch extends Error {}

type Call = [name: 'evalsha', sha: string, keys: number, ...rest: (string | number)[]];

/**
 * The connection to the server, and the facts read through it: its epoch, the cluster's clock, the number of live
 * gateways. After each lost connection, the gateway gets another `session`, so that a call with an unknown result can
 * never be booked twice.
 */
export class ValkeyLink {
  /** Identifies this gateway's slices; renewed after each lost connection. */
  session = newId();
  gateways = GATEWAYS_UNSEEN;
  /** How long a request waits for an answer before it is decided without one. */
  timeoutMs: number;
  readonly client: Valkey;
  /** True once a request has been admitted that the server's history may lack. */
  hasUnknownHistory = false;

  private epoch = '';
  private isJoined = false;
  private isLate = false;
  private hasComplained = false;
  private offsetMs = 0;
  private wholeFromMs = 0;
  private fewerSinceMs = 0;
  private asking?: Promise<void>;
  private askedAtMs = 0;
  private lastBeatMs = -Infinity;
  private readonly outstanding = new Set<number>();
  private timer?: NodeJS.Timeout;

  constructor(private readonly options: ValkeyLinkOptions) {
    this.timeoutMs = options.timeoutMs ?? 50;
    const { tlsCa: ca } = options;
    const url = this.urlNow();
    this.client = new Valkey(url, {
      ...(ca && url.startsWith('rediss:') && { tls: { ca } }),
      lazyConnect: true,
      connectionName: `domain-data-${options.group ?? 'gateways'}`,
      connectTimeout: this.deadMs,
      disconnectTimeout: DISCONNECT_TIMEOUT_MS,
      enableOfflineQueue: false,
      enableReadyCheck: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      // After a failover, the former primary may keep its connections. Its name may already lead to the new one.
      reconnectOnError: ({ message }) => message.includes('READONLY'),
    });
    this.keepConnectable(this.client);
    this.client.on('error', (error: unknown) => this.complain(error));
    this.client.on('close', () => this.lost());
    this.client.on('ready', () => void this.beat());
  }

  /**
   * Returns a further client of the same server, not yet connected, for a subscription. It is disconnected when the
   * link loses its own connection, because only the link's heartbeats notice a server that no longer answers.
   */
  furtherClient(): Valkey {
    // The library ignores the promise of its own attempt to subscribe again, so a failure would end the process.
    const further = this.client.duplicate({ autoResubscribe: false });
    this.keepConnectable(further);
    this.client.on('close', () => {
      if (further.status === 'ready') further.disconnect(true);
    });
    return further;
  }

  /** Lets a client connect again after it has lost its connection, with the password that is current at that time. */
  private keepConnectable(client: Valkey): void {
    client.options.retryStrategy = (attempt) => {
      client.options.password = passwordOf(this.urlNow());
      return Math.min(attempt * 50, RECONNECT_MAX_MS);
    };
    bearLateErrors(client);
  }

  private urlNow(): string {
    const { url } = this.options;
    return typeof url === 'string' ? url : url();
  }

  /** Resolves when the server has been reached or found unreachable. */
  async start(): Promise<void> {
    this.timer = setInterval(() => this.tick(), PROBE_MS);
    this.timer.unref();
    try {
      await this.client.connect();
      await this.beat();
    } catch (error) {
      this.complain(error);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    if (this.client.status === 'ready') {
      await Promise.race([
        this.client.zrem(this.members, this.options.gatewayId).catch(() => {}),
        new Promise((resolve) => setTimeout(resolve, DEAD_MS).unref()),
      ]);
    }
    this.client.disconnect();
  }

  /** Whether the server can be used; false while requests have to be decided without it. */
  get isUsable(): boolean {
    return this.isJoined && !this.isLate;
  }

  /** Returns the cluster's time in milliseconds, which is never behind the server's own value for this moment. */
  nowMs(): number {
    return this.options.nowMs?.() ?? monotonicMs() + this.offsetMs;
  }

  /** True while a part of the last window is missing from the server's history. */
  get isWarming(): boolean {
    return this.nowMs() < this.wholeFromMs;
  }

  /** Returns a gateway's share of a limit while the counts of the others are unknown; at least one. */
  shareOf(limit: number): number {
    return Math.min(limit, Math.max(1, Math.floor(limit / this.gateways)));
  }

  /**
   * Records that an answer did not arrive in time. No request waits for another answer until a heartbeat is answered.
   * The heartbeat is sent at once, so that after a brief failure the gateways count together again as soon as possible.
   */
  noteLate(): void {
    if (this.isLate) return;
    this.isLate = true;
    void this.beat();
  }

  /**
   * Takes tokens for several entries in one call.
   * @returns the reply for each entry, in the order of the entries.
   * @throws OtherEpoch, or Error if the call has no answer.
   */
  async take(entries: readonly TakeRequest[]): Promise<TakeReply[]> {
    const keys = [META, ...entries.map(({ key }) => `${PREFIX}entry:${key}`)];
    const time = this.options.nowMs?.() ?? '';
    const words: (string | number)[] = [this.epoch, time, this.session, this.gateways];
    for (const { limit, want, ahead, inHand, uses } of entries) {
      words.push(limit, want, ahead, inHand, uses.length, ...uses);
    }
    try {
      const [[error, reply]] = await this.run([
        ['evalsha', TAKE.sha, keys.length, ...keys, ...words],
      ]);
      if (error) throw error;
      return readTake(reply as number[]);
    } catch (error) {
      this.isJoined = false;
      void this.beat();
      throw error;
    }
  }

  /**
   * Runs a script on entries.
   * @returns the reply; undefined if the script fails or the server does not answer in time. The link is then unusable
   * until a heartbeat is answered.
   */
  async evaluate(
    { sha }: Script,
    entries: readonly string[],
    args: (string | number)[],
  ): Promise<unknown> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    // The answer may be in the socket if this process was busy, so the socket is read once more first.
    const timer = setTimeout(() => setImmediate(() => resolve(undefined)), this.timeoutMs);
    const asked = this.run([
      ['evalsha', sha, entries.length, ...entries.map((entry) => PREFIX + entry), ...args],
    ]).then(
      ([[error, reply]]) => (error ? undefined : reply),
      () => undefined,
    );
    const reply = await Promise.race([asked, late]);
    clearTimeout(timer);
    if (reply === undefined) this.noteLate();
    return reply;
  }

  /** Reports that this gateway is alive, and reads the epoch, the time and the number of gateways. */
  beat(): Promise<void> {
    this.asking ??= this.sayHello().finally(() => (this.asking = undefined));
    return this.asking;
  }

  private get members(): string {
    return `${PREFIX}${this.options.group ?? 'gateways'}`;
  }

  private async sayHello(): Promise<void> {
    const sentMs = (this.askedAtMs = monotonicMs());
    try {
      const isFirst = !this.isJoined;
      if (isFirst) await this.load([BEAT, TAKE, ...UPSTREAM_SCRIPTS]);
      const sentBeatMs = monotonicMs();
      const { gatewayId } = this.options;
      const rest = [
        this.options.nowMs?.() ?? '',
        gatewayId,
        this.epoch,
        newId(),
        this.epoch !== '' || this.hasUnknownHistory ? '1' : '',
      ];
      const [[error, reply]] = await this.run([
        ['evalsha', BEAT.sha, 2, META, this.members, ...rest],
      ]);
      if (error) throw error;
      const [epoch, nowMs, gateways, lackingMs] = reply as [string, number, number, number];
      this.offsetMs = nowMs - sentBeatMs;
      this.wholeFromMs = nowMs + lackingMs;
      this.count(gateways);
      this.epoch = epoch;
      this.lastBeatMs = sentMs;
      this.isLate = false;
      this.hasUnknownHistory = false;
      this.isJoined = true;
      this.hasComplained = false;
    } catch (error) {
      this.isJoined = false;
      this.complain(error);
    }
  }

  private count(gateways: number): void {
    const nowMs = monotonicMs();
    const isFirstWord = this.lastBeatMs === -Infinity;
    if (gateways >= this.gateways || isFirstWord) {
      this.gateways = gateways;
      this.fewerSinceMs = nowMs;
    } else if (nowMs - this.fewerSinceMs > FEWER_AFTER_MS) {
      this.gateways = gateways;
    }
  }

  private tick(): void {
    const nowMs = monotonicMs();
    const [oldestMs] = this.outstanding;
    if (oldestMs !== undefined && nowMs - oldestMs > this.deadMs) {
      // The answer may be in the socket if this process was paused, so the socket is read once more first.
      setImmediate(() => this.cutOff(oldestMs));
      return;
    }
    if (this.client.status !== 'ready' || this.asking) return;
    const dueMs = this.isUsable ? BEAT_MS : PROBE_MS;
    if (nowMs - this.askedAtMs >= dueMs - PROBE_MS / 2) void this.beat();
  }

  private get deadMs(): number {
    return Math.max(DEAD_MS, this.timeoutMs);
  }

  private cutOff(sentMs: number): void {
    if (!this.outstanding.has(sentMs)) return;
    this.outstanding.clear();
    this.lost();
    this.client.disconnect(true);
  }

  private async load(scripts: readonly Script[]): Promise<void> {
    const sentMs = this.expectAnswer();
    try {
      await Promise.all(scripts.map(({ source }) => this.client.script('LOAD', source)));
    } finally {
      this.outstanding.delete(sentMs);
    }
  }

  private async run(calls: Call[]): Promise<[Error | null, unknown][]> {
    const pipeline = this.client.pipeline(calls);
    const sentMs = this.expectAnswer();
    try {
      return (await pipeline.exec()) ?? calls.map(() => [new Error('no answer'), undefined]);
    } finally {
      this.outstanding.delete(sentMs);
    }
  }

  private expectAnswer(): number {
    let sentMs = monotonicMs();
    // Each call needs its own entry in the set.
    while (this.outstanding.has(sentMs)) sentMs += 1e-6;
    this.outstanding.add(sentMs);
    return sentMs;
  }

  private lost(): void {
    this.isJoined = false;
    this.session = newId();
    this.fewerSinceMs = monotonicMs();
  }

  private complain(error: unknown): void {
    if (this.hasComplained) return;
    this.hasComplained = true;
    this.options.logger.warn(
      'Valkey does not answer: each process applies its part of the limits by itself',
      error,
    );
  }
}

/**
 * Adds a listener for late errors. The library listens only for the first error of a connection, but a TLS connection
 * may emit two: its own and the server's alert. An error without a listener ends the process.
 */
function bearLateErrors(client: Valkey): void {
  client.on('connecting', () => {
    setImmediate(() => void client.stream?.on('error', () => {}));
  });
}

/** Splits the reply of `TAKE` into the replies of its entries. @throws OtherEpoch */
function readTake([nowMs, ...words]: number[]): TakeReply[] {
  if (nowMs === -1) throw new OtherEpoch();
  const replies: TakeReply[] = [];
  for (let at = 0; at < words.length; at += 5) {
    const [granted, inHand, room, oldestSecond, inOthersHands] = words.slice(at, at + 5);
    replies.push({ granted, inHand, room, oldestSecond, nowMs, inOthersHands });
  }
  return replies;
}

/** Returns the password in the URL; undefined if there is none. */
const passwordOf = (url: string) => decodeURIComponent(new URL(url).password) || undefined;
