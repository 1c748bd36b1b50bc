import { connect } from 'node:net';
import { percentile } from './bench.js';

/** What to ask, how fast, for how long. */
export interface Load {
  port: number;
  /** Sent in turn; `{n}` in the path becomes a rising number. */
  requests: { path: string; apiKey?: string }[];
  connections: number;
  /** Ends after this many answers or milliseconds, whichever is first. */
  answersMax: number;
  durationMs: number;
  /** Requests a second over all connections; as fast as answers come when absent. */
  ratePerSecond?: number;
}

export interface LoadResult {
  answers: number;
  byStatus: Record<string, number>;
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
  const byStatus: Record<string, number> = {};
  const latencies: number[] = [];
  const startedMs = performance.now();
  let [sent, answers] = [0, 0];
  const isOver = () =>
    answers >= load.answersMax ||
    sent >= load.answersMax ||
    performance.now() - startedMs >= load.durationMs;
  const next = () => {
    const { path, apiKey } = load.requests[sent % load.requests.length];
    const key = apiKey ? `&apiKey=${apiKey}` : '';
    return `GET ${path.replace('{n}', String(sent++))}${key} HTTP/1.1\r\nHost: bench\r\n\r\n`;
  };
  const pause = load.ratePerSecond ? (1000 * load.connections) / load.ratePerSecond : 0;
  await Promise.all(
    Array.from({ length: load.connections }, (_, place) =>
      converse({ load, pauseMs: pause, offsetMs: (pause * place) / load.connections }),
    ),
  );
  return {
    answers,
    byStatus,
    elapsedMs: performance.now() - startedMs,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };

  function converse(pace: { load: Load; pauseMs: number; offsetMs: number }): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect(pace.load.port, '127.0.0.1');
      socket.setNoDelay(true);
      socket.on('error', () => {
        byStatus.lost = (byStatus.lost ?? 0) + 1;
        resolve();
      });
      let sentAt = 0;
      let dueAt = startedMs + pace.offsetMs;
      let received = Buffer.alloc(0);
      const send = () => {
        if (isOver()) {
          socket.destroy();
          resolve();
          return;
        }
        const now = performance.now();
        if (pace.pauseMs > 0 && now < dueAt) {
          setTimeout(send, dueAt - now);
          return;
        }
        dueAt += pace.pauseMs;
        sentAt = performance.now();
        socket.write(next(), 'latin1');
      };
      socket.on('connect', send);
      socket.on('data', (chunk) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const head = received.indexOf(HEAD_END);
        if (head === -1) return;
        const text = received.toString('latin1', 0, head);
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
        if (received.length < head + HEAD_END.length + length) return;
        received = Buffer.alloc(0);
        latencies.push(performance.now() - sentAt);
        const status = text.slice(9, 12);
        byStatus[status] = (byStatus[status] ?? 0) + 1;
        answers++;
        send();
      });
    });
  }
}
