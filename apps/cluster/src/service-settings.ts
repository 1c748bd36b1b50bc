import {
  type SchemaService,
  auditorRole,
  derivedRolePassword,
  maintenanceRole,
  serviceRole,
} from '#libs/database';
import type { DataFolder } from '../../solo/src/data-folder/data-folder.js';
import type { Secrets } from '../../solo/src/data-folder/secrets.js';

/** Settings by environment name. */
export type Settings = Record<string, string | undefined>;

/** Every address of a cluster, known before anything listens there. */
export interface ClusterPorts {
  postgres: number;
  kafka: number;
  valkey: number;
  simulators: number;
  smtp: number;
  account: number;
  entitlement: number;
  lookup: number;
  gateways: { api: number; dashboard: number; internal: number }[];
}

export interface SettingSources {
  ports: ClusterPorts;
  folder: DataFolder;
  secrets: Secrets;
  /** Superuser of the PostgreSQL server. */
  postgresUrl: string;
  /** Value of `KAFKA_BROKERS`, of a cluster with a broker. */
  brokers?: string;
  /** Value of `VALKEY_URL`, of a cluster with one. */
  valkeyUrl?: string;
  /** All gateways listen on the first one's public ports. */
  reusePort: boolean;
  /** Given to every service. */
  common: Settings;
}

const DATABASE = 'domain_data';
const loopback = (port: number) => `http://127.0.0.1:${port}`;
const local = (port: number) => `http://localhost:${port}`;

/** What every process is told, by its name; environment variables and nothing else. */
export class ServiceSettings {
  constructor(private readonly sources: SettingSources) {}

  /** Superuser of the services' database. */
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

  /** Of the commands that prepare the database and the broker, and of whoever operates. */
  operator(): Settings {
    const { ports, secrets } = this.sources;
    return {
      ...this.events(),
      OPERATOR_ENV_OF: String(process.pid),
      DATABASE_ADMIN_URL: this.superuserUrl,
      DATABASE_ROLE_SECRET: secrets.get('roles'),
      SERVICE_SECRET: secrets.get('service'),
      ACCOUNT_URL: loopback(ports.account),
      ENTITLEMENT_URL: loopback(ports.entitlement),
      ACCOUNT_DATABASE_URL: this.databaseUrl(serviceRole('account')),
      ENTITLEMENT_DATABASE_URL: this.databaseUrl(serviceRole('entitlement')),
      GATEWAY_DATABASE_URL: this.databaseUrl(serviceRole('gateway')),
    };
  }

  account(): Settings {
    const { folder, ports, secrets } = this.sources;
    return {
      ...this.service('account', ports.account),
      KEY_PEPPER: secrets.get('keyPepper'),
      ADDRESS_PEPPER: secrets.get('addressPepper'),
      PERSONAL_DATA_SECRET: secrets.get('personalData'),
      AUDIT_ANCHOR_SECRET: secrets.get('auditAnchor'),
      AUDIT_ANCHORS: folder.file('audit-anchors.log'),
      BILLING_URL: local(ports.gateways[0].dashboard),
      SMTP_URL: `smtp://127.0.0.1:${ports.smtp}`,
    };
  }

  entitlement(): Settings {
    return {
      ...this.service('entitlement', this.sources.ports.entitlement),
      ENTITLEMENT_AUDITOR_DATABASE_URL: this.databaseUrl(auditorRole('entitlement')),
    };
  }

  lookup(internet: { upstreamExceptions: string; caFile: string }): Settings {
    const { common, ports, secrets } = this.sources;
    return {
      ...common,
      LOOKUP_PORT: String(ports.lookup),
      SERVICE_SECRET: secrets.get('service'),
      LOOKUP_UPSTREAM_EXCEPTIONS: internet.upstreamExceptions,
      LOOKUP_EXTRA_CA_FILE: internet.caFile,
      // Nobody's registry is asked: politeness would only slow the demonstration.
      LOOKUP_UPSTREAM_PER_SECOND: '1000',
    };
  }

  /** @param index of the gateway, from 0. */
  gateway(index: number): Settings {
    const { folder, ports, secrets, reusePort, valkeyUrl } = this.sources;
    const { api, dashboard, internal } = ports.gateways[index];
    const own = this.service('gateway', api);
    return {
      ...own,
      DASHBOARD_PORT: String(dashboard),
      GATEWAY_INTERNAL_PORT: String(internal),
      BASE_URL: local(api),
      BILLING_URL: local(dashboard),
      ACCOUNT_URL: loopback(ports.account),
      ENTITLEMENT_URL: loopback(ports.entitlement),
      LOOKUP_URL: loopback(ports.lookup),
      KEY_PEPPER: secrets.get('keyPepper'),
      GATEWAY_JOURNAL: folder.file(`gateway-${index + 1}.journal`),
      GATEWAY_REUSE_PORT: String(reusePort),
      VALKEY_URL: valkeyUrl,
      // No balancer has to hear that it stops.
      GATEWAY_DRAIN_NOTICE_MS: '0',
    };
  }

  private service(name: SchemaService, port: number): Settings {
    const prefix = name.toUpperCase();
    return {
      ...this.sources.common,
      ...this.events(),
      [`${prefix}_PORT`]: String(port),
      [`${prefix}_DATABASE_URL`]: this.databaseUrl(serviceRole(name)),
      [`${prefix}_MAINTENANCE_DATABASE_URL`]: this.databaseUrl(maintenanceRole(name)),
      SERVICE_SECRET: this.sources.secrets.get('service'),
    };
  }

  private events(): Settings {
    const { brokers } = this.sources;
    // One broker holds every copy.
    return brokers === undefined ? {} : { KAFKA_BROKERS: brokers, KAFKA_TOPIC_REPLICATION: '1' };
  }
}
