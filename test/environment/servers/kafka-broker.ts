import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Kafka, type KafkaConfig, logLevel } from 'kafkajs';
import { freePorts } from '#libs/platform';
import { madeOnce } from '../made-once.js';
import { KAFKA_FOLDER, kafkaJars } from './kafka-jars.js';
import { OwnedServer } from './owned-server.js';

/** The variable with the brokers' addresses, separated by commas. The set-up sets it if it is not set. */
export const KAFKA_BROKERS = 'KAFKA_BROKERS';

export interface KafkaBrokerOptions {
  /** The folder of settings and data. If an earlier broker has used it, its data is used again. */
  folder: string;
  port?: number;
  /** Certificates; with these, clients must use TLS. */
  tls?: {
    /** A PEM file with the certificate (for 127.0.0.1) and its PKCS #8 key. */
    keyStoreFile: string;
    /** The certificate (PEM) of the authority that signed the broker's certificate. */
    authority: string;
    /**
     * The certificate (PEM) of the clients' certificate authority. If it is given, clients must present a certificate,
     * whose common name is the user.
     */
    clientAuthority?: string;
  };
  /**
   * Passwords by user. If they are given, clients must log in with SCRAM-SHA-512, and may do nothing without an ACL.
   * The user `admin` is required and may do everything, and so may `cli`, which creates topics and ACLs.
   */
  sasl?: Record<string, string>;
  /** Passwords of other users, who log in with PLAIN, in addition to `sasl`. */
  plain?: Record<string, string>;
  /**
   * Whether to use the JVM's usual options. By default, the broker starts with half the work, but is slower under load.
   */
  isMeasured?: boolean;
  /**
   * Another listener, which is behind a proxy and advertises `advertisedPort`. A proxy that is not advertised is
   * bypassed, because clients reconnect to the address that the broker advertises.
   */
  proxied?: { port: number; advertisedPort: number };
}

// Most brokers run for a minute, in which the second compiler and the collector's threads do not pay off.
const QUICK = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-XX:-UsePerfData'];

const ADMIN = 'admin';
const ASKING_EVERY_MS = 100;

/** A real Kafka broker with one node on loopback, for tests. */
export class KafkaBroker extends OwnedServer {
  readonly name = 'kafka';

  private constructor(
    private readonly options: KafkaBrokerOptions,
    private readonly jars: string,
    private readonly port: number,
    private readonly classes: string,
  ) {
    super(options.folder);
  }

  /** Starts a broker. Check `kafkaAvailability` first, which says why a broker cannot start. */
  static async start(options: KafkaBrokerOptions): Promise<KafkaBroker> {
    const jars = await kafkaJars();
    // The archive that Java writes of the first broker's classes halves the work of each later start. Java ignores an
    // archive of another Java.
    const classes = await madeOnce(`${jars}-classes`, async (folder) => {
      const archive = `-XX:ArchiveClassesAtExit=${join(folder, 'classes.jsa')}`;
      await (await KafkaBroker.begin({ folder }, jars, archive)).stop();
    });
    return KafkaBroker.begin(
      options,
      jars,
      `-XX:SharedArchiveFile=${join(classes, 'classes.jsa')}`,
    );
  }

  private static async begin(options: KafkaBrokerOptions, jars: string, classes: string) {
    const port = options.port ?? (await freePorts(1))[0];
    const broker = new KafkaBroker(options, jars, port, classes);
    await broker.prepare();
    await broker.start();
    return broker;
  }

  get brokers(): string[] {
    return [this.url];
  }

  get url(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Changes a user's password on a broker with TLS and SASL. Open connections stay open. */
  async changePassword(user: string, password: string): Promise<void> {
    const { folder, sasl } = this.options;
    const file = join(folder, 'admin.properties');
    const lines = [
      'security.protocol=SASL_SSL',
      'sasl.mechanism=SCRAM-SHA-512',
      `sasl.jaas.config=${loginLine(sasl?.[ADMIN])}`,
      'ssl.truststore.type=PEM',
      `ssl.truststore.location=${join(folder, 'authority.pem')}`,
    ];
    writeFileSync(file, lines.join('\n'), { mode: 0o600 });
    const at = ['--bootstrap-server', this.url, '--command-config', file];
    const change = ['--alter', '--add-config', `SCRAM-SHA-512=[password=${password}]`];
    const whose = ['--entity-type', 'users', '--entity-name', user];
    await this.runTool('kafka.admin.ConfigCommand', [...at, ...change, ...whose]);
  }

  private async runTool(tool: string, words: string[]): Promise<void> {
    const options = [...QUICK, this.classes, '-cp', join(this.jars, '*')];
    await promisify(execFile)('java', [...options, tool, ...words]);
  }

  private get settingsFile(): string {
    return join(this.options.folder, 'server.properties');
  }

  private async prepare(): Promise<void> {
    const { folder, sasl } = this.options;
    const data = join(folder, 'data');
    mkdirSync(folder, { recursive: true });
    const controllerPort = (await freePorts(1))[0];
    const template = readFileSync(join(KAFKA_FOLDER, 'server.properties'), 'utf8')
      .replaceAll(
        '${LISTENERS}',
        this.listeners(({ port }) => port),
      )
      .replaceAll(
        '${ADVERTISED}',
        this.listeners(({ advertisedPort }) => advertisedPort),
      )
      .replaceAll('${CONTROLLER_PORT}', String(controllerPort))
      .replaceAll('${DATA}', data);
    writeFileSync(this.settingsFile, [template, ...this.protocolSettings(), ''].join('\n'), {
      mode: 0o600,
    });
    if (existsSync(join(data, 'meta.properties'))) return;
    const users = Object.entries(sasl ?? {}).flatMap(([name, password]) => [
      '--add-scram',
      `SCRAM-SHA-512=[name=${name},password=${password}]`,
    ]);
    const id = randomUUID().replaceAll('-', '').slice(0, 22);
    const words = ['format', '-t', id, '-c', this.settingsFile, ...users];
    await this.runTool('kafka.tools.StorageTool', words);
  }

  private listeners(portOf: (own: NonNullable<KafkaBrokerOptions['proxied']>) => number): string {
    const { proxied } = this.options;
    const own = {
      CLIENT: { port: this.port, advertisedPort: this.port },
      ...(proxied && { PROXIED: proxied }),
    };
    return Object.entries(own)
      .map(([name, ports]) => `${name}://127.0.0.1:${portOf(ports)}`)
      .join(',');
  }

  private protocolSettings(): string[] {
    const { tls, sasl, plain = {} } = this.options;
    const protocol = `${sasl ? 'SASL_' : ''}${tls ? 'SSL' : 'PLAINTEXT'}`;
    const protocols = `CLIENT:${protocol},PROXIED:${protocol},CONTROLLER:PLAINTEXT`;
    const lines = [`listener.security.protocol.map=${protocols}`];
    if (tls) {
      // The broker also connects to itself as a client, and checks its own certificate.
      const authorityFile = join(this.options.folder, 'authority.pem');
      writeFileSync(authorityFile, tls.authority + (tls.clientAuthority ?? ''));
      if (tls.clientAuthority) {
        lines.push('ssl.client.auth=required');
        lines.push('ssl.principal.mapping.rules=RULE:^CN=([^,]+).*$/$1/');
      }
      lines.push('ssl.keystore.type=PEM', `ssl.keystore.location=${tls.keyStoreFile}`);
      lines.push('ssl.truststore.type=PEM', `ssl.truststore.location=${authorityFile}`);
    }
    if (!sasl) return lines;
    return [
      ...lines,
      'sasl.enabled.mechanisms=SCRAM-SHA-512,PLAIN',
      'sasl.mechanism.inter.broker.protocol=SCRAM-SHA-512',
      ...['client', 'proxied'].flatMap((listener) => [
        `listener.name.${listener}.scram-sha-512.sasl.jaas.config=${loginLine(sasl[ADMIN])}`,
        `listener.name.${listener}.plain.sasl.jaas.config=${usersLine(plain)}`,
      ]),
      'authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      // The controller's listener, which is also on loopback, has no user names.
      `super.users=User:${ADMIN};User:cli;User:ANONYMOUS`,
    ];
  }

  protected command(): string[] {
    const options = this.options.isMeasured ? [] : [...QUICK, this.classes];
    const words = ['-Xmx384m', ...options, '-cp', join(this.jars, '*'), 'kafka.Kafka'];
    return ['java', ...words, this.settingsFile];
  }

  protected async answers(): Promise<boolean> {
    const { tls, sasl } = this.options;
    const login: KafkaConfig['sasl'] = sasl && {
      mechanism: 'scram-sha-512',
      username: ADMIN,
      password: sasl[ADMIN],
    };
    const kafka = new Kafka({
      brokers: this.brokers,
      ssl: tls && { ...ownCertificate(tls), ca: [tls.authority] },
      sasl: login,
      logLevel: logLevel.NOTHING,
      connectionTimeout: 10_000,
      retry: { retries: 0 },
    });
    const admin = kafka.admin();
    try {
      await admin.connect();
      await admin.describeCluster();
      return true;
    } catch {
      await sleep(ASKING_EVERY_MS);
      return false;
    } finally {
      await admin.disconnect();
    }
  }
}

/** Returns TLS options that present the broker's own certificate, if the broker requires certificates from clients. */
function ownCertificate({ keyStoreFile, clientAuthority }: NonNullable<KafkaBrokerOptions['tls']>) {
  if (clientAuthority === undefined) return {};
  const text = readFileSync(keyStoreFile, 'utf8');
  return { cert: text, key: text };
}

const loginLine = (password?: string) =>
  `org.apache.kafka.common.security.scram.ScramLoginModule required username="${ADMIN}" password="${password}";`;

const usersLine = (passwords: Record<string, string>) =>
  [
    'org.apache.kafka.common.security.plain.PlainLoginModule required',
    ...Object.entries(passwords).map(([user, password]) => `user_${user}="${password}"`),
  ].join(' ') + ';';
