import { randomInt } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedServer, withClient } from '#libs/database';
import { KAFKA_BROKERS, ValkeyServer, makeOwnFolder, waitFor } from '#test/environment';
import { writeSecretFiles } from '../../apps/cli/src/secrets/secret-files.js';
import { MailSimulator } from '../../apps/simulators/src/mail/mail-simulator.js';
import { RegistrySimulator } from '../../apps/simulators/src/registry/registry-simulator.js';
import type { Origins } from '../stories/customer.js';
import { type PlannedContainer, composePlan, composeServices } from './compose-plan.js';
import { Container, type ContainerOptions } from './container.js';
import type { ImageConfig } from './image.js';
import { TcpProxy } from '../faults/tcp-proxy.js';

const IMAGE_USER = 10_001;
const DATABASE = 'domain_data';
const READY_LIMIT_MS = 600_000;
/** The maximum number of starts: a service exits if its database is late, and a container engine restarts it. */
const STARTS_MAX = 5;
/**
 * Because the test machine may be busy, gateways shed no load, and wait longer for services and Valkey. The gateways
 * and the dashboard do not wait for a balancer before they stop.
 */
const UNHURRIED = {
  GATEWAY_DRAIN_NOTICE_MS: '0',
  DASHBOARD_DRAIN_NOTICE_MS: '0',
  GATEWAY_LOOP_DELAY_MAX_MS: '60000',
  GATEWAY_SERVICES_TIMEOUT_MS: '20000',
  VALKEY_TIMEOUT_MS: '1000',
};

/**
 * The containers of docker-compose.yml. Each has the command, user, environment, secrets and volume that the file and
 * the image define, and an address to which its host name resolves. PostgreSQL and Valkey are servers of this
 * deployment alone, and Kafka is the broker of the test run. The mailbox and the simulated registries on this machine
 * are added.
 */
export class ImageDeployment {
  private readonly folder = makeOwnFolder('deployment');
  // Each host name has its own address, so that each container can listen on the ports that the file defines.
  private readonly network = `127.${randomInt(1, 255)}.${randomInt(255)}`;
  private readonly names = Object.keys(composeServices());
  private readonly closings: (() => unknown)[] = [];
  private readonly mail = new MailSimulator();
  readonly containers: Container[] = [];

  private constructor(
    private readonly root: string,
    private readonly image: ImageConfig,
  ) {}

  /** @param root the mounted image. */
  static async start(root: string, image: ImageConfig): Promise<ImageDeployment> {
    const deployment = new ImageDeployment(root, image);
    try {
      await deployment.begin();
      return deployment;
    } catch (error) {
      await deployment.stop();
      throw error;
    }
  }

  get origins(): Origins {
    return {
      apiUrl: `http://${this.addressOf('gateway-1')}:8080`,
      dashboardUrl: `http://${this.addressOf('dashboard')}:8081`,
      mailbox: { newest: async (limit) => this.mail.newest(limit) },
    };
  }

  async stop(): Promise<void> {
    await Promise.all(this.containers.map((container) => container.stop()));
    for (const close of this.closings.toReversed()) await close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async begin(): Promise<void> {
    // PostgreSQL runs as another user, who must be able to enter the folder.
    chmodSync(this.folder, 0o755);
    const secrets = join(this.folder, 'secrets');
    const smtpUrl = await this.mail.start();
    this.closings.push(() => this.mail.stop());
    const database = `postgres:5432/${DATABASE}?sslmode=disable`;
    writeSecretFiles({ folder: secrets, database, smtpUrl });
    const password = readFileSync(join(secrets, 'postgres_password'), 'utf8').trim();
    // The run's own broker: after the first connection, clients use the address that it advertises.
    const [broker] = process.env[KAFKA_BROKERS]!.split(',');
    await Promise.all([
      this.startPostgres(password),
      this.startValkey(),
      this.forward('kafka', 9092, Number(broker.split(':')[1])),
    ]);
    mkdirSync(join(this.root, 'run/secrets'), { recursive: true });
    writeFileSync(join(this.root, 'etc/hosts'), '');
    const { apiUrl, dashboardUrl } = this.origins;
    const planned = composePlan(secrets, { BASE_URL: apiUrl, BILLING_URL: dashboardUrl });
    for (const { environment } of planned) Object.assign(environment, UNHURRIED);
    await this.startRegistries(planned.find(({ name }) => name === 'lookup')!);
    await this.startInOrder(planned);
  }

  addressOf(name: string): string {
    return `${this.network}.${this.names.indexOf(name) + 1}`;
  }

  private async forward(name: string, port: number, toPort: number): Promise<void> {
    const target = { host: '127.0.0.1', port: toPort };
    const at = { host: this.addressOf(name), port };
    const proxy = await TcpProxy.start({ route: () => target, ...at });
    this.closings.push(() => proxy.stop());
  }

  private async startPostgres(password: string): Promise<void> {
    const folder = join(this.folder, 'postgres');
    const server = await EmbeddedServer.start({ folder, password, durable: false });
    this.closings.push(() => server.stop());
    await withClient(server.url(), (client) => client.query(`create database ${DATABASE}`));
    await this.forward('postgres', 5432, server.port);
  }

  /** Starts the simulated registries. Lookup reads their certificate authority from its secrets. */
  private async startRegistries({ environment, secrets }: PlannedContainer): Promise<void> {
    const registries = new RegistrySimulator();
    const { upstreamExceptions, caFile } = await registries.start();
    this.closings.push(() => registries.stop());
    secrets['authorities.pem'] = readFileSync(caFile, 'utf8');
    environment.LOOKUP_EXTRA_CA_FILE = '/run/secrets/authorities.pem';
    environment.LOOKUP_UPSTREAM_EXCEPTIONS = upstreamExceptions;
  }

  private async startValkey(): Promise<void> {
    const valkey = await ValkeyServer.start({ folder: join(this.folder, 'valkey') });
    this.closings.push(() => valkey.stop());
    await this.forward('valkey', 6379, Number(new URL(valkey.url).port));
  }

  private async startInOrder(all: readonly PlannedContainer[]): Promise<void> {
    const started = new Map<string, Promise<void>>();
    const start = (container: PlannedContainer): Promise<void> => {
      const known = started.get(container.name);
      if (known) return known;
      const needed = all.filter(({ name }) => container.needs.includes(name));
      const begun = Promise.all(needed.map(start)).then(() => this.run(container));
      started.set(container.name, begun);
      return begun;
    };
    await Promise.all(all.map(start));
  }

  private async run(planned: PlannedContainer): Promise<void> {
    const { name, isJob } = planned;
    const options = this.optionsOf(planned);
    let container = this.begun(options);
    if (isJob) {
      const result = await container.result();
      if (result !== 0) throw new Error(`${name} ended with ${result}: ${container.output}`);
      return;
    }
    const url = `http://${this.addressOf(name)}:7100/ready`;
    let starts = 1;
    const isReady = async () => {
      if (!container.isRunning) {
        if (++starts > STARTS_MAX) throw new Error(`${name} has ended: ${container.output}`);
        container = this.begun(options);
      }
      return fetch(url)
        .then(({ ok }) => ok || undefined)
        .catch(() => undefined);
    };
    await waitFor(`${name} to be ready`, isReady, READY_LIMIT_MS);
  }

  private begun(options: ContainerOptions): Container {
    const container = new Container(options);
    this.containers.push(container);
    return container;
  }

  private optionsOf({
    name,
    command,
    environment,
    ...planned
  }: PlannedContainer): ContainerOptions {
    const { folder, root, image } = this;
    const hosts = join(folder, `${name}.hosts`);
    const lines = this.names.map((one) => `${this.addressOf(one)} ${one}\n`);
    const alias = `${this.addressOf('gateway-1')} gateway\n`;
    writeFileSync(hosts, `127.0.0.1 localhost\n${lines.join('')}${alias}`);
    // In its own network, a container would listen on every address.
    const listening = Object.entries(environment).map(([key, value]) => [
      key,
      value === '0.0.0.0' ? this.addressOf(name) : value,
    ]);
    const secretFolder = join(folder, `${name}.secrets`);
    mkdirSync(secretFolder);
    for (const [file, text] of Object.entries(planned.secrets)) {
      writeFileSync(join(secretFolder, file), text, { mode: 0o444 });
    }
    const mounts: Record<string, string> = { '/etc/hosts': hosts, '/run/secrets': secretFolder };
    for (const [index, path] of planned.kept.entries()) {
      mounts[path] = join(folder, `${name}.kept-${index}`);
      mkdirSync(mounts[path]);
      chownSync(mounts[path], IMAGE_USER, IMAGE_USER);
    }
    const given = Object.fromEntries(listening);
    return { name, root, image, command, environment: given, folder, mounts };
  }
}
