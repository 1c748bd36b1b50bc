import { AddressLoad, HANDSHAKE_LIMIT_MS, mustBeTls } from '#libs/contracts';
import type { InternalTls } from '#libs/platform';
import type { LookupCall } from '../context/lookup-call.js';
import { type LookupAddress, LookupConnection } from './lookup-connection.js';
import { AnswerLate, ConnectTimeout, ConnectionEnded } from './lookup.errors.js';

export interface LookupPoolOptions {
  url: string;
  /** The Unix socket of lookup, if it runs on the same machine. */
  socketPath?: string;
  /** The certificate of this process, if calls between services use TLS. */
  tls?: InternalTls;
  /** Maximum time for a complete answer, including the wait for a connection, in milliseconds. */
  timeoutMs: number;
  /** Maximum number of connections, 1,500 by default. */
  connectionsMax?: number;
  /** Time limit for opening a connection, 1 s by default; with TLS, the time for the handshake is added. */
  connectTimeoutMs?: number;
  /** Free connections are closed after this time, 30 s by default, before lookup closes them (72 s). */
  keepAliveMs?: number;
  /**
   * Maximum age of a connection, 30 s by default. New connections let a balancer distribute calls to new instances of
   * lookup.
   */
  ageMaxMs?: number;
}

/**
 * The maximum number of connections: one for each concurrent live lookup. With fewer, slow
 * registries would delay every answer.
 */
const CONNECTIONS_MAX = 1_500;
const CONNECT_TIMEOUT_MS = 1_000;
const KEEP_ALIVE_MS = 30_000;
const AGE_MAX_MS = 30_000;
/** A fraction of the maximum age: random ages keep connections from expiring all at once. */
const AGE_MIN_PART = 0.5;
const TICK_MAX_MS = 500;
const TICKS_PER_TIMEOUT = 20;

/**
 * Keeps connections to lookup and makes one call at a time on each. It implements only the part of HTTP/1.1 that lookup
 * uses: no WebAssembly parser, no stream per connection, no object per header. With undici's dispatcher instead, the
 * gateway needs twice the CPU time per request.
 */
export class LookupPool {
  private readonly address: LookupAddress;
  private readonly connections = new Set<LookupConnection>();
  /** Free connections. The most recently used one is used next, so that surplus ones expire. */
  private readonly idle: LookupConnection[] = [];
  private waiting: LookupCall[] = [];
  private readonly timer: NodeJS.Timeout;
  private readonly connectionsMax: number;
  private readonly ticks: { connect: number; answer: number; keepAlive: number; ageMax: number };
  private isClosed = false;

  constructor(options: LookupPoolOptions) {
    const { protocol, hostname, port } = new URL(options.url);
    const { socketPath, tls } = options;
    const isTls = protocol === 'https:' && socketPath === undefined;
    if (tls && socketPath === undefined) mustBeTls('lookup', options.url);
    this.address = {
      socketPath,
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (isTls ? 443 : 80),
      isTls,
      tls,
      load: new AddressLoad(),
    };
    this.connectionsMax = options.connectionsMax ?? CONNECTIONS_MAX;
    const tickMs = Math.min(TICK_MAX_MS, Math.ceil(options.timeoutMs / TICKS_PER_TIMEOUT));
    const ticksOf = (ms: number) => Math.ceil(ms / tickMs);
    this.ticks = {
      connect: ticksOf(
        (options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS) + (isTls ? HANDSHAKE_LIMIT_MS : 0),
      ),
      answer: ticksOf(options.timeoutMs),
      keepAlive: ticksOf(options.keepAliveMs ?? KEEP_ALIVE_MS),
      ageMax: ticksOf(options.ageMaxMs ?? AGE_MAX_MS),
    };
    this.timer = setInterval(() => this.tick(), tickMs);
  }

  /** Makes the call on a free or a new connection or, at the maximum, as soon as a connection is free. */
  ask(call: LookupCall): void {
    const free = this.takeIdle();
    if (free !== undefined) free.ask(call);
    else if (this.isClosed) call.onFault(new ConnectionEnded());
    else if (this.connections.size < this.connectionsMax) this.open().ask(call);
    else this.waiting.push(call);
  }

  /** Closes all connections. Running and waiting calls fail. */
  close(): void {
    this.isClosed = true;
    clearInterval(this.timer);
    for (const connection of this.connections) connection.destroy(new ConnectionEnded());
    for (const call of this.waiting.splice(0)) call.onFault(new ConnectionEnded());
  }

  get size(): number {
    return this.connections.size;
  }

  private open(): LookupConnection {
    const connection = new LookupConnection(
      this.address,
      Math.ceil(this.ticks.ageMax * (AGE_MIN_PART + Math.random() * (1 - AGE_MIN_PART))),
      (free) => this.reuse(free),
      (closed) => this.closed(closed),
    );
    this.connections.add(connection);
    return connection;
  }

  private reuse(connection: LookupConnection): void {
    const next = this.nextWaiting();
    if (next) connection.ask(next);
    else this.idle.push(connection);
  }

  private closed(connection: LookupConnection): void {
    this.connections.delete(connection);
    const place = this.idle.indexOf(connection);
    if (place !== -1) this.idle.splice(place, 1);
    if (this.isClosed) return;
    const next = this.nextWaiting();
    if (next) this.ask(next);
  }

  /**
   * Takes a free connection that has not ended; returns undefined if there is none. (Node may
   * report the end of a connection only after the next call.)
   */
  private takeIdle(): LookupConnection | undefined {
    for (;;) {
      const free = this.idle.pop();
      if (free === undefined || !free.isEnded) return free;
    }
  }

  private nextWaiting(): LookupCall | undefined {
    for (;;) {
      const call = this.waiting.shift();
      if (call === undefined || !call.isAbandoned) return call;
    }
  }

  /**
   * Counts timeouts in ticks of one timer, because a timer per call costs more than reading the request's parameters.
   * A timeout fires less than two ticks late.
   */
  private tick(): void {
    const { connect, answer, keepAlive } = this.ticks;
    for (const connection of this.connections) {
      const { call, isConnected } = connection;
      if (connection.ticksLeft-- === 0) connection.retire();
      const quiet = connection.quietTicks++;
      if (call === undefined) {
        if (quiet >= keepAlive) connection.destroy();
      } else if (call.waitedTicks++ >= answer) connection.destroy(new AnswerLate());
      else if (!isConnected && quiet >= connect) connection.destroy(new ConnectTimeout());
    }
    const late = this.waiting.filter((call) => call.waitedTicks++ >= answer);
    // Later calls have not waited longer, so the late calls are the first ones.
    this.waiting.splice(0, late.length);
    for (const call of late) call.onFault(new AnswerLate());
  }
}
