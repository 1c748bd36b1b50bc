import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Socket, connect as connectPlainly, isIP } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { type Admin, Kafka, type KafkaConfig, logLevel } from 'kafkajs';
import { SECOND_MS } from '#libs/platform';
import type { EventsConfig } from '../../events.config.js';

const CONNECT_LIMIT_MS = 1_000;
const KEEP_ALIVE_MS = 60_000;
const ADMIN_LIMIT_MS = 10 * SECOND_MS;

export type KafkaClientOptions = Required<Pick<KafkaConfig, 'requestTimeout' | 'retry'>>;

/**
 * Runs kafkajs over sockets that we can close, because its own disconnect waits for answers that may never arrive. The
 * log of kafkajs is off, because it reports ordinary parts of an outage as errors; our callers log what matters.
 */
export class KafkaClient {
  readonly kafka: Kafka;
  private readonly sockets = new Set<Socket>();
  private isCut = false;

  constructor(config: EventsConfig, options: KafkaClientOptions) {
    this.kafka = new Kafka({
      ...options,
      brokers: config.kafkaBrokers,
      clientId: 'domain-data-service',
      connectionTimeout: CONNECT_LIMIT_MS,
      authenticationTimeout: options.requestTimeout,
      ssl: config.kafkaTls === true && { ca: config.kafkaTlsCa },
      sasl: loginOf(config),
      logLevel: logLevel.NOTHING,
      socketFactory: ({ host, port, ssl, onConnect }) => {
        if (this.isCut) throw new Error('this client was cut off');
        const socket = ssl
          ? connectTls(
              { host, port, ...serverName(host), ...ssl, ...certificateOf(config) },
              onConnect,
            )
          : connectPlainly({ host, port }, onConnect);
        socket.setKeepAlive(true, KEEP_ALIVE_MS).setNoDelay(true);
        this.sockets.add(socket);
        socket.once('close', () => this.sockets.delete(socket));
        return socket;
      },
    });
  }

  /** Closes all connections at once: running calls fail, and no new connection is opened. */
  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy(new Error('cut off'));
  }
}

export async function withAdmin<T>(
  config: EventsConfig,
  work: (admin: Admin) => Promise<T>,
): Promise<T> {
  const client = new KafkaClient(config, {
    requestTimeout: ADMIN_LIMIT_MS,
    retry: { retries: 5, initialRetryTime: 200, maxRetryTime: SECOND_MS },
  });
  const admin = client.kafka.admin();
  try {
    await admin.connect();
    return await work(admin);
  } finally {
    await admin.disconnect();
    client.cut();
  }
}

/**
 * Returns the client certificate as TLS options; empty without a folder. The files are read for each connection,
 * because the certificate may have been renewed.
 * @throws if a file is missing.
 */
function certificateOf({ kafkaTlsFolder: folder }: EventsConfig): { cert?: Buffer; key?: Buffer } {
  if (!folder) return {};
  const [cert, key] = ['tls.crt', 'tls.key'].map((name) => readFileSync(join(folder, name)));
  return { cert, key };
}

/**
 * Returns the TLS option with the server name. It is empty for an address, which is never sent and is compared with the
 * certificate directly.
 */
const serverName = (host: string) => (isIP(host) ? {} : { servername: host });

function loginOf(config: EventsConfig): KafkaConfig['sasl'] {
  const { kafkaSaslUsername: username, kafkaSaslMechanism: mechanism } = config;
  if (!username) return undefined;
  return {
    mechanism,
    username,
    // The password is read at each connection, because it may have changed in the meantime.
    get password() {
      return config.kafkaSaslPassword ?? '';
    },
  } as KafkaConfig['sasl'];
}

interface RequestQueue {
  pending: unknown[];
  scheduleCheckPendingRequests(): void;
}

/**
 * Prevents Node's warnings about negative timeouts: after each answer, kafkajs 2.2.4 sets a timer for the end of the
 * last throttling, which is usually long past. If nothing is pending, there is nothing to check, and later requests set
 * their own timer.
 */
function silenceNegativeTimers(): void {
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as {
    prototype: RequestQueue;
  };
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function (): void {
    if (this.pending.length > 0) schedule.call(this);
  };
}

silenceNegativeTimers();
