import { derivedRolePassword } from '#libs/database';
import {
  type AnyService,
  type Settings,
  databaseSettings,
  operatorDatabases,
  readBy,
} from '#libs/services';
import { SERVICES } from '../../services.js';
import type { ClusterPorts } from './cluster-ports.js';
import type { DataFolder } from '../../solo/src/data-folder/data-folder.js';
import type { Secrets } from '../../solo/src/data-folder/secrets.js';

export interface SettingSources {
  ports: ClusterPorts;
  folder: DataFolder;
  secrets: Secrets;
  postgresUrl: string;
  /** The value of `KAFKA_BROKERS`, if the cluster has a broker. */
  brokers?: string;
  /** The value of `VALKEY_URL`, if the cluster has a Valkey. */
  valkeyUrl?: string;
  /** The services that run. Other services have no address. */
  services: readonly AnyService[];
  reusePort: boolean;
  common: Settings;
}

const DATABASE = 'domain_data';
const loopback = (port: number) => `http://127.0.0.1:${port}`;
const local = (port: number) => `http://localhost:${port}`;

/** Builds the settings of every process. They consist only of environment variables. */
export class ServiceSettings {
  constructor(private readonly sources: SettingSources) {}

  /** Returns the URL of the superuser in the services' database. */
  get superuserUrl(): string {
    const url = new URL(this.sources.postgresUrl);
    url.pathname = `/${DATABASE}`;
    return url.toString();
  }

  get databaseName(): string {
    return DATABASE;
  }

  rolePassword(role: string): string {
    return derivedRolePassword(this.sources.secrets.get('roles'), role);
  }

  databaseUrl(role: string): string {
    const url = new URL(this.superuserUrl);
    [url.username, url.password] = [role, this.rolePassword(role)];
    return url.toString();
  }

  /** Returns the settings for commands that prepare database and broker, and for the operator. */
  operator(): Settings {
    const { secrets } = this.sources;
    return {
      ...this.events(),
      ...this.addresses(),
      ...operatorDatabases(SERVICES, (role) => this.databaseUrl(role)),
      OPERATOR_ENV_OF: String(process.pid),
      DATABASE_ADMIN_URL: this.superuserUrl,
      DATABASE_ROLE_SECRET: secrets.get('roles'),
      SERVICE_SECRET: secrets.get('SERVICE_SECRET'),
    };
  }

  /** Returns the settings of a service with one process. `own` contains settings that are specific to this start. */
  service(service: AnyService, own: Settings = {}): Settings {
    const [{ port }] = service.listeners;
    const number = this.sources.ports.services[service.name];
    return this.read(service, {
      [port]: String(number),
      DASHBOARD_PORT: String(this.sources.ports.dashboard),
      ...own,
    });
  }

  /**
   * Returns the settings of a gateway.
   * @param index its number, from 0.
   */
  gateway(service: AnyService, index: number): Settings {
    const { folder, ports, reusePort } = this.sources;
    const { api, internal } = ports.gateways[index];
    return this.read(service, {
      API_PORT: String(api),
      GATEWAY_INTERNAL_PORT: String(internal),
      BASE_URL: local(api),
      GATEWAY_JOURNAL: folder.file(`gateway-${index + 1}.journal`),
      GATEWAY_REUSE_PORT: String(reusePort),
    });
  }

  private read(service: AnyService, own: Settings): Settings {
    const { common, folder, ports, secrets, valkeyUrl } = this.sources;
    const known = {
      ...this.events(),
      ...this.addresses(),
      ...databaseSettings(service, (role) => this.databaseUrl(role)),
      ...secrets.settings(),
      BASE_URL: local(ports.gateways[0].api),
      BILLING_URL: local(ports.dashboard),
      // On one machine, the cluster queries the registry simulator.
      GATEWAY_SIMULATED_DATA: 'true',
      DASHBOARD_SIMULATED_DATA: 'true',
      // No load balancer needs time to notice that a service stops.
      GATEWAY_DRAIN_NOTICE_MS: '0',
      DASHBOARD_DRAIN_NOTICE_MS: '0',
      SMTP_URL: `smtp://127.0.0.1:${ports.smtp}`,
      AUDIT_ANCHORS: folder.file('audit-anchors.log'),
      ERASED_ACCOUNTS: folder.file('erased-accounts.list'),
      FILES_LOCATION: folder.file('files'),
      CORPUS_SUPPRESSIONS: folder.file('suppressions.list'),
      VALKEY_URL: valkeyUrl,
      ...own,
    };
    return { ...common, ...readBy(service, known) };
  }

  private addresses(): Settings {
    const { ports, services } = this.sources;
    const called = services.flatMap(({ name, urlSetting }) =>
      urlSetting === undefined ? [] : [[urlSetting, loopback(ports.services[name])]],
    );
    const [{ internal }] = ports.gateways;
    return { ...(Object.fromEntries(called) as Settings), GATEWAY_URL: loopback(internal) };
  }

  private events(): Settings {
    const { brokers } = this.sources;
    // There is a single broker, which has the only copy.
    return brokers === undefined ? {} : { KAFKA_BROKERS: brokers, KAFKA_TOPIC_REPLICATION: '1' };
  }
}
