import { type Socket, connect } from 'node:net';
import { percentile } from './bench.js';

/** What to ask, how fast, for how long. */
export interface Load {
  port: number;
  /** With a query; `{n}` in it becomes a rising number. */
  path: string;
  /** Added as `apiKey`, in turn. */
  keys: string[];
  connections: number;
  /** Ends after this many milliseconds or answers, whichever is first. */
  durationMs: number;
  answersMax?: number;
  /** Requests a second over all connections; as fast as answers come when absent. */
  ratePerSecond?: number;
}

export interface LoadResult {
  answers: number;
  /** Answers with a status of 400 and more. */
  refused: number;
  /** Connections that broke. */
  lost: number;
  elapsedMs: number;
  p50Ms: number;
  p99Ms: number;
}

/** A process of its own: sends what its parent asks for over keep-alive connections, and counts. */
process.on('message', (load: Load) => {
  void drive(load).then((result) => process.send!(result));
});

const HEAD_END = Buffer.from('\r\n\r\n');

async function drive(load: Load): Promise<LoadResult> {
  const tally = new Tally(load);
  const pauseMs = load.ratePerSecond ? (1000 * load.connections) / load.ratePerSecond : 0;
  const conversations = Array.from({ length: load.connections }, (_, place) =>
    new Conversation(tally, pauseMs, (pauseMs * place) / load.connections).run(),
  );
  await Promise.all(conversations);
  return tally.result();
}

/** What all connections together have sent and received. */
class Tally {
  readonly startedMs = performance.now();
  lost = 0;
  private refused = 0;
  private readonly latencies: number[] = [];
  private sent = 0;
  private answers = 0;

  constructor(readonly load: Load) {}

  get isOver(): boolean {
    const { answersMax = Infinity, durationMs } = this.load;
    const isLate = performance.now() - this.startedMs >= durationMs;
    return isLate || this.answers >= answersMax || this.sent >= answersMax;
  }

  /** The next request; `{n}` in a path becomes its number. */
  nextRequest(): string {
    const { path, keys } = this.load;
    const key = keys.length > 0 ? `&apiKey=${keys[this.sent % keys.length]}` : '';
    return `GET ${path.replace('{n}', String(this.sent++))}${key} HTTP/1.1\r\nHost: bench\r\n\r\n`;
  }

  answered(status: number, latencyMs: number): void {
    this.latencies.push(latencyMs);
    if (status >= 400) this.refused++;
    this.answers++;
  }

  result(): LoadResult {
    return {
      answers: this.answers,
      refused: this.refused,
      lost: this.lost,
      elapsedMs: performance.now() - this.startedMs,
      p50Ms: percentile(this.latencies, 0.5),
      p99Ms: percentile(this.latencies, 0.99),
    };
  }
}

/** One keep-alive connection: a request, its answer, the next request when it is due. */
class Conversation {
  private received: Buffer = Buffer.alloc(0);
  private sentAt = 0;
  private dueAt: number;

  constructor(
    private readonly tally: Tally,
    private readonly pauseMs: number,
    offsetMs: number,
  ) {
    this.dueAt = tally.startedMs + offsetMs;
  }

  run(): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect(this.tally.load.port, '127.0.0.1');
      socket.setNoDelay(true);
      socket.on('error', () => this.tally.lost++);
      socket.on('close', () => resolve());
      socket.on('connect', () => this.send(socket));
      socket.on('data', (chunk) => this.receive(socket, chunk));
    });
  }

  private send(socket: Socket): void {
    if (this.tally.isOver) {
      socket.destroy();
      return;
    }
    const waitMs = this.pauseMs > 0 ? this.dueAt - performance.now() : 0;
    if (waitMs > 0) {
      setTimeout(() => this.send(socket), waitMs);
      return;
    }
    this.dueAt += this.pauseMs;
    this.sentAt = performance.now();
    socket.write(this.tally.nextRequest(), 'latin1');
  }

  private receive(socket: Socket, chunk: Buffer): void {
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
    const head = this.received.indexOf(HEAD_END);
    if (head === -1) return;
    const text = this.received.toString('latin1', 0, head);
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (this.received.length < head + HEAD_END.length + length) return;
    this.received = Buffer.alloc(0);
    this.tally.answered(Number(text.slice(9, 12)), performance.now() - this.sentAt);
    this.send(socket);
  }
}
