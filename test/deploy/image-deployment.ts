import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
  chmodSync,
  chownSync,
} from 'node:fs';
import { join } from 'node:path';
import { EmbeddedServer, derivedRolePassword, withClient } from '#libs/database';
import { InternalTls, Logger, freePorts } from '#libs/platform';
import {
  FileClock,
  KafkaBroker,
  OwnAuthority,
  type OwnCertificate,
  ValkeyServer,
  makeOwnCertificate,
  makeOwnFolder,
  waitFor,
} from '#test/environment';
import { SERVICES } from '../../apps/cli/src/declared.js';
import { writeSecretFiles } from '../../apps/cli/src/secrets/secret-files.js';
import { MailSimulator } from '../../apps/simulators/src/mail/mail-simulator.js';
import { PaymentsSimulator } from '../../apps/simulators/src/payments/payments-simulator.js';
import { RegistrySimulator } from '../../apps/simulators/src/registry/registry-simulator.js';
import type { Deployment } from '../stories/deployment.js';
import { Container, type ContainerOptions } from './container.js';
import type { DeploymentPlan, PlannedContainer } from './deployment-plan.js';
import type { ImageConfig, ImageStore } from './image.js';
import { Network } from './network.js';

const IMAGE_USER = 10_001;
const DATABASE = 'domain_data';
/** The secret with the certificate of the broker's authority. */
const BROKER_AUTHORITY = 'kafka-ca';
const BROKER_ADMIN = 'admin';
const BROKER_USERS = [BROKER_ADMIN, 'cli', ...SERVICES.map(({ name }) => name)];
const READY_LIMIT_MS = 600_000;
/** A service exits if its database is late, and an engine restarts it. */
const STARTS_MAX = 5;
/** The folder in the image where the modules of the test clock are mounted. */
const CLOCK_FOLDER = '/app/dist/test/environment';
const CLOCK_MODULES = ['preload-file-clock.js', 'file-clock.js'];
/** A busy test machine does not count as overloaded, and a simulated registry needs no rate limit. */
const UNHURRIED = {
  GATEWAY_LOOP_DELAY_MAX_MS: '60000',
  GATEWAY_SERVICES_TIMEOUT_MS: '20000',
  VALKEY_TIMEOUT_MS: '1000',
};

/**
 * Containers from the image, each with the command, user, environment, secrets and volume that its plan and the image
 * give it, on a network where it has its name. PostgreSQL, Kafka and Valkey are those of the tests under the names
 * `postgres`, `kafka` and `valkey`. The clock of the tests and the registries on this machine are added.
 */
export class ImageDeployment {
  private readonly folder = makeOwnFolder('deployment');
  private readonly network: Network;
  private readonly closings: (() => unknown)[] = [];
  private readonly mail = new MailSimulator();
  readonly containers: Container[] = [];
  private operator?: ContainerOptions;
  private beside: Record<string, Record<string, string>> = {};
  private planned: PlannedContainer[] = [];
  private authority: OwnAuthority;
  private brokerCertificate: OwnCertificate;
  private clock: FileClock;
  private server: EmbeddedServer;

  private constructor(
    private readonly root: string,
    private readonly image: ImageConfig,
    private readonly plan: DeploymentPlan,
  ) {
    this.network = new Network(plan.names);
  }

  static async start(
    images: ImageStore,
    id: string,
    plan: DeploymentPlan,
  ): Promise<ImageDeployment> {
    const [root, config] = [await images.mount(id), await images.configOf(id)];
    const deployment = new ImageDeployment(root, config, plan);
    try {
      await deployment.begin();
      return deployment;
    } catch (error) {
      await deployment.stop();
      throw error;
    }
  }

  /** The deployment as the stories use it. */
  get deployed(): Deployment {
    const secret = this.secret('database_role_secret');
    const rolePassword = (role: string) => derivedRolePassword(secret, role);
    const logger = new Logger('cli', { write: () => undefined });
    const { mail, origins, planned } = this;
    const entitlement = planned.find(({ app }) => app === 'entitlement') as PlannedContainer;
    const tls =
      'INTERNAL_TLS_FOLDER' in entitlement.environment
        ? new InternalTls(this.authority.issue('cli'), logger)
        : undefined;
    return {
      apiUrl: origins.BASE_URL,
      dashboardUrl: origins.BILLING_URL,
      mailboxUrl: '',
      mailbox: { newest: async (limit) => mail.newest(limit) },
      clock: this.clock,
      tls,
      entitlementUrl: `${tls ? 'https' : 'http'}://${this.network.addressOf(entitlement.name)}:7100`,
      serviceSecret: this.secret('service_secrets_source'),
      superuserUrl: this.server.url(DATABASE),
      databaseUrl: (role) => {
        const url = new URL(this.server.url(DATABASE));
        [url.username, url.password] = [role, rolePassword(role)];
        return url.toString();
      },
      log: () => this.containers.map(({ output }) => output).join(''),
      stop: () => this.stop(),
    };
  }

  async stop(): Promise<void> {
    await Promise.all(this.containers.map((container) => container.stop()));
    for (const close of this.closings.toReversed()) await close();
    await this.network.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs an operator command as a process, as in the operator pod. */
  async command(args: string[]): Promise<{ code: number | string | null; output: string }> {
    const command = ['dist/apps/cli/src/main.js', ...args];
    const container = new Container({ ...this.operator!, command });
    return { code: await container.result(), output: container.output };
  }

  private secret(name: string): string {
    return readFileSync(join(this.folder, 'secrets', name), 'utf8').trim();
  }

  private async begin(): Promise<void> {
    chmodSync(this.folder, 0o755);
    mkdirSync(join(this.folder, 'clock'));
    this.clock = FileClock.create(join(this.folder, 'clock', 'time'));
    chmodSync(join(this.folder, 'clock', 'time'), 0o644);
    this.closings.push(() => this.clock.close());
    const smtpUrl = new URL(await this.mail.start());
    this.closings.push(() => this.mail.stop());
    await this.network.forward(Number(smtpUrl.port));
    smtpUrl.hostname = 'mail';
    writeSecretFiles({
      folder: join(this.folder, 'secrets'),
      database: `postgres:5432/${DATABASE}?sslmode=disable`,
      smtpUrl: smtpUrl.toString(),
      stripe: { apiKey: 'sk_test_of_the_simulator', callbackSecret: 'whsec_of_the_simulator' },
    });
    this.writeBrokerPasswords();
    this.planned = this.plan.containers(join(this.folder, 'secrets'), this.origins);
    this.authority = new OwnAuthority(join(this.folder, 'authority'));
    this.brokerCertificate = makeOwnCertificate(this.folder, 'broker', 'kafka');
    await Promise.all([this.startPostgres(), this.startKafka(), this.startValkey()]);
    await this.prepareBeside();
    await this.startInOrder();
  }

  /** Whether the containers use SASL_SSL with the broker, each as a separate user. */
  private get isSecured(): boolean {
    return this.planned.some(({ environment }) => environment.KAFKA_TLS === 'true');
  }

  private writeBrokerPasswords(): void {
    const fileOf = (user: string) => join(this.folder, 'secrets', `${user}_kafka_sasl_password`);
    for (const user of BROKER_USERS) writeFileSync(fileOf(user), this.brokerPassword(user));
  }

  private brokerPassword(user: string): string {
    return derivedRolePassword(this.secret('database_role_secret'), `broker ${user}`);
  }

  /**
   * A folder with the files of a secret that others create: the broker's authority, or the certificate of a service.
   */
  private mountedSecret(name: string, app: string): string {
    const folder = join(this.folder, `${name}.mounted`);
    if (name === BROKER_AUTHORITY) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'ca.crt'), this.brokerCertificate.authority);
    } else this.authority.issue(app, folder);
    for (const file of readdirSync(folder)) chmodSync(join(folder, file), 0o644);
    return folder;
  }

  private get origins() {
    const { network, plan } = this;
    return {
      BASE_URL: `http://${network.addressOf(plan.api)}:8080`,
      BILLING_URL: `http://${network.addressOf(plan.dashboard.name)}:${plan.dashboard.port}`,
    };
  }

  private async startPostgres(): Promise<void> {
    const password = this.secret('postgres_password');
    const folder = join(this.folder, 'postgres');
    this.server = await EmbeddedServer.start({ folder, password, durable: false });
    this.closings.push(() => this.server.stop());
    await withClient(this.server.url(), (client) => client.query(`create database ${DATABASE}`));
    await this.network.forward(5432, this.server.port);
  }

  private async startKafka(): Promise<void> {
    const [port] = await freePorts(1);
    const passwords = BROKER_USERS.map((user) => [user, this.brokerPassword(user)]);
    const broker = await KafkaBroker.start({
      folder: join(this.folder, 'kafka'),
      ...(this.isSecured && {
        tls: this.brokerCertificate,
        sasl: Object.fromEntries(passwords),
      }),
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

  /** The clock and the registries, which are in the image's root while it is mounted here. */
  private async prepareBeside(): Promise<void> {
    mkdirSync(join(this.root, 'run/secrets'), { recursive: true });
    const mounted = this.planned.flatMap((one) => Object.keys(one.mounted ?? {}));
    for (const path of [...mounted, CLOCK_FOLDER, 'mnt/beside']) {
      mkdirSync(join(this.root, path), { recursive: true });
    }
    writeFileSync(join(this.root, 'etc/hosts'), '');
    for (const name of CLOCK_MODULES) {
      cpSync(join('dist/test/environment', name), join(this.root, CLOCK_FOLDER, name));
    }
    const registries = new RegistrySimulator();
    const { upstreamExceptions, caFile } = await registries.start();
    this.closings.push(() => registries.stop());
    copyFileSync(caFile, join(this.folder, 'clock', 'authorities.pem'));
    chmodSync(join(this.folder, 'clock', 'authorities.pem'), 0o644);
    const found = upstreamExceptions.matchAll(/=127\.0\.0\.1:(\d+)/g);
    const ports = new Set([...found].map(([, port]) => Number(port)));
    for (const port of ports) await this.network.forward(port);
    const payments = new PaymentsSimulator(this.clock);
    const { port: paymentsPort } = new URL(await payments.start());
    this.closings.push(() => payments.stop());
    await this.network.forward(Number(paymentsPort));
    const { hostAddress } = this.network;
    this.beside = {
      '': {
        NODE_OPTIONS: `--import=${CLOCK_FOLDER}/preload-file-clock.js`,
        TEST_CLOCK_FILE: '/mnt/beside/time',
      },
      gateway: UNHURRIED,
      billing: { STRIPE_API_URL: `http://${hostAddress}:${paymentsPort}` },
      lookup: {
        LOOKUP_UPSTREAM_EXCEPTIONS: upstreamExceptions.replaceAll('127.0.0.1', hostAddress),
        LOOKUP_EXTRA_CA_FILE: '/mnt/beside/authorities.pem',
        LOOKUP_UPSTREAM_PER_SECOND: '1000',
      },
    };
  }

  private async startInOrder(): Promise<void> {
    const started = new Map<string, Promise<void>>();
    const start = (container: PlannedContainer): Promise<void> => {
      const known = started.get(container.name);
      if (known) return known;
      const needed = this.planned.filter(({ name }) => container.needs.includes(name));
      const begun = Promise.all(needed.map(start)).then(() => this.run(container));
      started.set(container.name, begun);
      return begun;
    };
    await Promise.all(this.planned.map(start));
  }

  private async run(planned: PlannedContainer): Promise<void> {
    const { name, isJob } = planned;
    const options = this.optionsOf(planned);
    if (planned.app === 'cli' && !isJob) return void (this.operator = options);
    let container = this.begun(options);
    if (isJob) {
      const result = await container.result();
      if (result !== 0) throw new Error(`${name} ended with ${result}: ${container.output}`);
      return;
    }
    const port = planned.environment.PROBE_PORT ?? '7100';
    const url = `http://${this.network.addressOf(name)}:${port}/ready`;
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

  private optionsOf(container: PlannedContainer): ContainerOptions {
    const { name, app, command, environment, ...planned } = container;
    const { folder, root, image, network, plan } = this;
    const hosts = join(folder, `${name}.hosts`);
    writeFileSync(hosts, network.hosts(['postgres', 'kafka', 'valkey', 'mail'], plan.aliases));
    const secretFolder = join(folder, `${name}.secrets`);
    mkdirSync(secretFolder);
    for (const [file, text] of Object.entries(planned.secrets)) {
      writeFileSync(join(secretFolder, file), text, { mode: 0o444 });
    }
    const mounts: Record<string, string> = {
      '/etc/hosts': hosts,
      '/run/secrets': secretFolder,
      '/mnt/beside': join(folder, 'clock'),
    };
    for (const [path, secret] of Object.entries(planned.mounted ?? {})) {
      mounts[path] = this.mountedSecret(secret, app);
    }
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
      environment: { ...environment, ...this.beside[''], ...this.beside[app] },
      space: network.join(name),
      folder,
      mounts,
    };
  }
}
