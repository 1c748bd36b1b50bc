import { randomBytes } from 'node:crypto';
import { type Socket, createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { monotonicMs } from '#libs/platform';
import { DnsFault } from './dns-fault.js';
import { readMessage, writeQuestion } from './dns-message.js';
import type { DnsMessage, DnsType } from './dns-record.js';

/** The number of sockets; each has an unpredictable port of its own. */
const SOCKETS = 4;
/**
 * The number of queries after which a port is replaced, so that an attacker who discovers it gains little (RFC 5452
 * §9.2).
 */
const QUESTIONS_PER_PORT = 256;
const TICK_MS = 20;
const ID_COUNT = 0x1_0000;

export interface UdpQuestion {
  /** Lower case. */
  name: string;
  type: DnsType;
  hasEdns: boolean;
  timeoutMs: number;
  signal?: AbortSignal;
}

/** A UDP answer. `caseLost` means that the name came back in a different case, so the answer may be forged. */
export type UdpAnswer = { message: DnsMessage } | { caseLost: true };

interface Waiting {
  /** The name as sent, with random case (draft-vixie-dnsext-dns0x20). */
  sentName: string;
  typeCode: number;
  untilMs: number;
  settle(answer: UdpAnswer | DnsFault): void;
}

/**
 * A name server that is queried over UDP. An answer counts only if it comes from the server's address and port to the
 * querying socket, with the id and the exact spelling that were sent; FORMERR and NOTIMP may lack the name, and another
 * case is reported as `caseLost`. Anything else is ignored.
 */
export class UdpServer {
  private readonly channels: Channel[];
  private next = 0;

  constructor(
    private readonly address: string,
    private readonly port: number,
  ) {
    this.channels = Array.from({ length: SOCKETS }, () => new Channel(address, port));
  }

  /** Sends one query. @throws DnsFault `timeout`, `unreachable`, `cancelled` or `busy`. */
  ask(question: UdpQuestion): Promise<UdpAnswer> {
    this.next = (this.next + 1) % SOCKETS;
    if (this.channels[this.next].asked >= QUESTIONS_PER_PORT) {
      this.channels[this.next].retire();
      this.channels[this.next] = new Channel(this.address, this.port);
    }
    return this.channels[this.next].ask(question);
  }

  close(): void {
    for (const channel of this.channels) channel.close();
  }
}

class Channel {
  asked = 0;
  private underWay = 0;
  private isRetired = false;
  private socket?: Socket;
  private ready?: Promise<Socket>;
  private readonly waiting = new Map<number, Waiting>();
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly address: string,
    private readonly port: number,
  ) {}

  async ask(question: UdpQuestion): Promise<UdpAnswer> {
    this.asked++;
    this.underWay++;
    try {
      return await this.exchange(question);
    } finally {
      this.underWay--;
      if (this.isRetired) this.closeWhenIdle();
    }
  }

  private async exchange(question: UdpQuestion): Promise<UdpAnswer> {
    const { name, type, hasEdns, timeoutMs, signal } = question;
    const socket = await this.open();
    if (signal?.aborted) throw new DnsFault('cancelled');
    const id = this.freeId();
    const sentName = withRandomCase(name);
    const packet = writeQuestion({ id, name: sentName, type, hasEdns });
    return new Promise((resolve, reject) => {
      const cancel = () => settle(new DnsFault('cancelled'));
      const settle = (answer: UdpAnswer | DnsFault) => {
        this.waiting.delete(id);
        signal?.removeEventListener('abort', cancel);
        if (answer instanceof DnsFault) reject(answer);
        else resolve(answer);
      };
      signal?.addEventListener('abort', cancel, { once: true });
      const typeCode = packet.readUInt16BE(12 + name.length + (name === '.' ? 0 : 2));
      const untilMs = monotonicMs() + timeoutMs;
      this.waiting.set(id, { sentName, typeCode, untilMs, settle });
      this.watch();
      socket.send(packet, (error) => {
        if (error) settle(new DnsFault('unreachable', { cause: error }));
      });
    });
  }

  /** Accepts no further queries; the socket closes after the last answer. */
  retire(): void {
    this.isRetired = true;
    this.closeWhenIdle();
  }

  private closeWhenIdle(): void {
    if (this.underWay === 0) this.close();
  }

  close(): void {
    this.fail(new DnsFault('cancelled'));
    clearInterval(this.timer);
    this.timer = undefined;
    this.socket?.close();
    this.socket = this.ready = undefined;
  }

  /** Opens the socket. After a failure, for example without a route to the server, the next query opens another one. */
  private open(): Promise<Socket> {
    this.ready ??= new Promise((resolve, reject) => {
      const socket = createSocket({
        type: isIPv6(this.address) ? 'udp6' : 'udp4',
        recvBufferSize: 4 << 20,
      });
      let isOpening = true;
      const failed = (error: Error) => {
        const fault = new DnsFault('unreachable', { cause: error });
        this.fail(fault);
        // ICMP reported that no process listens on the port; an open socket stays usable.
        if (!isOpening) return;
        isOpening = false;
        this.ready = undefined;
        socket.close();
        reject(fault);
      };
      socket.on('message', (packet) => this.receive(packet));
      socket.on('error', failed);
      socket.unref();
      // The socket is connected, so that the system drops packets from other sources.
      socket.connect(this.port, this.address, (error?: Error) => {
        if (error) return failed(error);
        isOpening = false;
        this.socket = socket;
        resolve(socket);
      });
    });
    return this.ready;
  }

  private receive(packet: Buffer): void {
    if (packet.length < 12) return;
    const waiting = this.waiting.get(packet.readUInt16BE(0));
    if (waiting === undefined) return;
    let message: DnsMessage;
    try {
      message = readMessage(packet);
    } catch {
      return;
    }
    if (!message.isResponse) return;
    if (message.questionName === '') return waiting.settle({ message });
    if (message.questionType !== waiting.typeCode) return;
    if (message.questionName === waiting.sentName) waiting.settle({ message });
    else if (message.questionName.toLowerCase() === waiting.sentName.toLowerCase())
      waiting.settle({ caseLost: true });
  }

  private freeId(): number {
    if (this.waiting.size > ID_COUNT / 2) throw new DnsFault('busy');
    let id = randomId();
    while (this.waiting.has(id)) id = randomId();
    return id;
  }

  /** Starts the timer. One timer serves all queries, because most are answered long before their time limit. */
  private watch(): void {
    this.timer ??= setInterval(() => {
      const now = monotonicMs();
      for (const one of this.waiting.values()) {
        if (one.untilMs <= now) one.settle(new DnsFault('timeout'));
      }
      if (this.waiting.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    }, TICK_MS);
  }

  private fail(fault: DnsFault): void {
    for (const one of this.waiting.values()) one.settle(fault);
  }
}

const pool = { bytes: Buffer.alloc(0), at: 0 };

function randomByte(): number {
  if (pool.at === pool.bytes.length) {
    pool.bytes = randomBytes(4_096);
    pool.at = 0;
  }
  return pool.bytes[pool.at++];
}

function randomId(): number {
  return (randomByte() << 8) | randomByte();
}

function withRandomCase(name: string): string {
  let text = '';
  let bits = 0;
  for (let i = 0; i < name.length; i++) {
    if (i % 8 === 0) bits = randomByte();
    const code = name.charCodeAt(i);
    const isUpper = (bits & 1) === 1 && code >= 0x61 && code <= 0x7a;
    text += isUpper ? String.fromCharCode(code - 32) : name[i];
    bits >>= 1;
  }
  return text;
}
