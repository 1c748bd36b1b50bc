import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedServer, withClient } from '#libs/database';
import { freePorts } from '#libs/platform';
import { KafkaBroker, ValkeyServer, makeOwnFolder, waitFor } from '#test/environment';
import { writeSecretFiles } from '../../apps/cli/src/secrets/secret-files.js';
import { MailSimulator } from '../../apps/simulators/src/mail/mail-simulator.js';
import { RegistrySimulator } from '../../apps/simulators/src/registry/registry-simulator.js';
import type { Origins } from '../stories/customer.js';
import { type PlannedContainer, composePlan, composeServices } from './compose-plan.js';
import { Container, type ContainerOptions } from './container.js';
import type { ImageConfig, ImageStore } from './image.js';
import { Network } from './network.js';

const IMAGE_USER = 10_001;
const DATABASE = 'domain_data';
const READY_LIMIT_MS = 600_000;
/** A service exits if its database is late, and an engine restarts it. */
const STARTS_MAX = 5;
/** A busy test machine does not count as overloaded. */
const UNHURRIED = {
  GATEWAY_LOOP_DELAY_MAX_MS: '60000',
  GATEWAY_SERVICES_TIMEOUT_MS: '20000',
  VALKEY_TIMEOUT_MS: '1000',
};

/**
 * The containers of docker-compose.yml, each with the command, user, environment, secrets and volume that the file and
 * the image give it, on a network where it has its name. PostgreSQL, Kafka and Valkey are those of the tests under the
 * names `postgres`, `kafka` and `valkey`. The registries on this machine are added.
 */
export class ImageDeployment {
  private readonly folder = makeOwnFolder('deployment');
  private readonly network = new Network(Object.keys(composeServices()));
  private readonly closings: (() => unknown)[] = [];
  private readonly mail = new MailSimulator();
  readonly containers: Container[] = [];

  private constructor(
    private readonly root: string,
    private readonly image: ImageConfig,
  ) {}

  static async start(images: ImageStore, id: string): Promise<ImageDeployment> {
    const deployment = new ImageDeployment(await images.mount(id), await images.configOf(id));
    try {
      await deployment.begin();
      return deployment;
    } catch (error) {
      await deployment.stop();
      throw error;
    }
  }

  /** The addresses at which customers reach it, and their mailbox. */
  get origins(): Origins {
    return {
      apiUrl: `http://${this.network.addressOf('gateway-1')}:8080`,
      dashboardUrl: `http://${this.network.addressOf('dashboard')}:8081`,
      mailbox: { newest: async (limit) => this.mail.newest(limit) },
    };
  }

  async stop(): Promise<void> {
    await Promise.all(this.containers.map((container) => container.stop()));
    for (const close of this.closings.toReversed()) await close();
    await this.network.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async begin(): Promise<void> {
    // PostgreSQL's user may enter the folder.
    chmodSync(this.folder, 0o755);
    const secrets = join(this.folder, 'secrets');
    const smtpUrl = new URL(await this.mail.start());
    this.closings.push(() => this.mail.stop());
    await this.network.forward(Number(smtpUrl.port));
    smtpUrl.hostname = 'mail';
    const database = `postgres:5432/${DATABASE}?sslmode=disable`;
    writeSecretFiles({ folder: secrets, database, smtpUrl: smtpUrl.toString() });
    const password = readFileSync(join(secrets, 'postgres_password'), 'utf8').trim();
    await Promise.all([this.startPostgres(password), this.startKafka(), this.startValkey()]);
    mkdirSync(join(this.root, 'run/secrets'), { recursive: true });
    writeFileSync(join(this.root, 'etc/hosts'), '');
    const { apiUrl, dashboardUrl } = this.origins;
    const planned = composePlan(secrets, { BASE_URL: apiUrl, BILLING_URL: dashboardUrl });
    for (const { name, environment } of planned) {
      if (name.startsWith('gateway')) Object.assign(environment, UNHURRIED);
    }
    await this.startRegistries(planned.find(({ name }) => name === 'lookup')!);
    await this.startInOrder(planned);
  }

  private async startPostgres(password: string): Promise<void> {
    const folder = join(this.folder, 'postgres');
    const server = await EmbeddedServer.start({ folder, password, durable: false });
    this.closings.push(() => server.stop());
    await withClient(server.url(), (client) => client.query(`create database ${DATABASE}`));
    await this.network.forward(5432, server.port);
  }

  private async startKafka(): Promise<void> {
    const [port] = await freePorts(1);
    const broker = await KafkaBroker.start({
      folder: join(this.folder, 'kafka'),
      proxied: { port, advertisedHost: 'kafka', advertisedPort: 9092 },
    });
    this.closings.push(() => broker.stop());
    await this.network.forward(9092, port);
  }

  private async startValkey(): Promise<void> {
    const valkey = await ValkeyServer.start({ folder: join(this.folder, 'valkey') });
    this.closings.push(() => valkey.stop());
    await this.network.forward(6379, Number(new URL(valkey.url).port));
  }

  /** Lookup finds the authority of the simulated registries among its secrets. */
  private async startRegistries({ environment, secrets }: PlannedContainer): Promise<void> {
    const registries = new RegistrySimulator();
    const { upstreamExceptions, caFile } = await registries.start();
    this.closings.push(() => registries.stop());
    const found = upstreamExceptions.matchAll(/=127\.0\.0\.1:(\d+)/g);
    const ports = new Set([...found].map(([, port]) => Number(port)));
    for (const port of ports) await this.network.forward(port);
    const { hostAddress } = this.network;
    secrets['authorities.pem'] = readFileSync(caFile, 'utf8');
    environment.LOOKUP_EXTRA_CA_FILE = '/run/secrets/authorities.pem';
    environment.LOOKUP_UPSTREAM_EXCEPTIONS = upstreamExceptions.replaceAll(
      '127.0.0.1',
      hostAddress,
    );
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
    const url = `http://${this.network.addressOf(name)}:7100/ready`;
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
    const { folder, root, image, network } = this;
    const hosts = join(folder, `${name}.hosts`);
    const aliases = { gateway: 'gateway-1' };
    writeFileSync(hosts, network.hosts(['postgres', 'kafka', 'valkey', 'mail'], aliases));
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
    return {
      name,
      root,
      image,
      command,
      environment,
      space: network.join(name),
      folder,
      mounts,
    };
  }
}
