import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  Chart,
  type PodSpec,
  type Resource,
  componentOf,
  containersOf,
  workloadsOf,
} from './chart.js';
import { CHART_VALUES, FOR_EVERY_POD } from './chart-values.js';
import { chartTools, chartToolsAvailability } from './tools/programs.js';

/** The time limit is long, because the tools are built first if this machine does not have them. */
jest.setTimeout(1_900_000);

const missing = chartToolsAvailability();
const BROUGHT = CHART_VALUES['brought along'] as string[];
const ALL_ON = CHART_VALUES['all on'] as string[];

(missing === undefined ? describe : describe.skip)('values that apply everywhere', () => {
  let chart: Chart;

  beforeAll(async () => {
    chart = new Chart((await chartTools()).helm);
  });

  const render = (values: string[], ...sets: string[]) => chart.render(values, ...sets);
  const ofKind = (resources: Resource[], kind: string) =>
    resources.filter((resource) => resource.kind === kind);
  const named = (resources: Resource[], kind: string, name: string) =>
    ofKind(resources, kind).find(({ metadata }) => metadata.name === name);
  const podsOf = (resources: Resource[]) => [
    ...workloadsOf(resources).map(({ spec }) => spec.template as Template),
    ...(ofKind(resources, 'Pod') as unknown as Template[]),
  ];

  it('default settings apply to every pod', async () => {
    const set = `defaults=${JSON.stringify(FOR_EVERY_POD)}`;
    const resources = await render(BROUGHT, set);
    const pods = podsOf(resources);
    expect(pods.length).toBeGreaterThan(8);
    for (const { metadata, spec } of pods) {
      const { nodeSelector, tolerations, affinity, priorityClassName } = FOR_EVERY_POD;
      expect(spec).toMatchObject({ nodeSelector, tolerations, affinity, priorityClassName });
      expect(spec.securityContext).toMatchObject(FOR_EVERY_POD.podSecurityContext);
      expect(metadata.labels).toMatchObject(FOR_EVERY_POD.podLabels);
      for (const { env, volumeMounts, name } of containersOf(spec)) {
        const mounted = volumeMounts ?? [];
        const isOurs = name !== 'valkey' && metadata.labels[COMPONENT] !== 'test';
        if (!isOurs) continue;
        expect(env).toContainEqual(FOR_EVERY_POD.extraEnv[0]);
        expect(mounted).toContainEqual(FOR_EVERY_POD.extraVolumeMounts[0]);
        expect(spec.volumes).toContainEqual(FOR_EVERY_POD.extraVolumes[0]);
      }
    }
    const accounts = ofKind(resources, 'ServiceAccount');
    const used = workloadsOf(resources).map(({ spec }) => spec.template.spec.serviceAccountName);
    expect(accounts.map(({ metadata }) => metadata.name).toSorted()).toEqual(used.toSorted());
    for (const { metadata } of accounts) {
      expect(metadata.annotations).toMatchObject(FOR_EVERY_POD.serviceAccount.annotations);
    }
  });

  it('the settings of one pod override the defaults, and a null field is absent', async () => {
    const resources = await render(
      BROUGHT,
      'defaults.priorityClassName="usual"',
      'defaults.podSecurityContext.runAsUser=null',
      'migration.priorityClassName="soon"',
      'valkey.instance.nodeSelector={"disk":"none"}',
      'services.lookup.serviceAccount={"name":"of-the-cluster"}',
    );
    const specOf = (component: string) =>
      podsOf(resources).find(({ metadata }) => metadata.labels[COMPONENT] === component)?.spec;
    expect(specOf('account')?.priorityClassName).toBe('usual');
    expect(specOf('migrate')?.priorityClassName).toBe('soon');
    expect(specOf('valkey')?.nodeSelector).toEqual({ disk: 'none' });
    expect(specOf('lookup')?.serviceAccountName).toBe('of-the-cluster');
    expect(ofKind(resources, 'ServiceAccount')).toEqual([]);
    expect(specOf('lookup')?.securityContext).not.toHaveProperty('runAsUser');
  });

  it('every resource has the given namespace and, except for Kafka users, the name prefix; every image comes from one registry', async () => {
    const resources = await render(
      BROUGHT,
      'namespaceOverride="elsewhere"',
      'fullnameOverride="domains"',
      'global={"imageRegistry":"mirror.example.org/all"}',
    );
    expect(resources.length).toBeGreaterThan(50);
    for (const { kind, metadata } of resources) {
      expect([kind, (metadata as { namespace?: string }).namespace]).toEqual([kind, 'elsewhere']);
      if (kind !== 'KafkaUser') expect(metadata.name).toMatch(/^domains(-|$)/);
    }
    const images = podsOf(resources).flatMap(({ spec }) => containersOf(spec));
    expect([...new Set(images.map(({ image }) => image))].toSorted()).toEqual([
      'mirror.example.org/all/domain-data-service:0.1.0',
      'mirror.example.org/all/valkey/valkey:8.1.4-alpine',
    ]);
    const [short] = ofKind(await render(BROUGHT, 'nameOverride="domains"'), 'Deployment');
    expect(short?.metadata.name).toMatch(/^shop-domains-/);
  });

  it('a Service for the internet exposes only the public ports', async () => {
    const resources = await render(
      ALL_ON,
      'services.gateway.service={"type":"LoadBalancer","annotations":{"example.org/nlb":"yes"}}',
      'services.dashboard.service={"annotations":{"example.org/inside":"yes"}}',
    );
    const gateway = named(resources, 'Service', 'shop-dds-gateway-public');
    expect(gateway).toMatchObject({
      metadata: { annotations: { 'example.org/nlb': 'yes' } },
      spec: { type: 'LoadBalancer', ports: [{ port: 8080 }] },
    });
    const inside = named(resources, 'Service', 'shop-dds-dashboard');
    expect(inside?.metadata.annotations).toEqual({ 'example.org/inside': 'yes' });
    const open = ofKind(resources, 'Service').filter(({ spec }) => spec.type === 'LoadBalancer');
    expect(open).toHaveLength(1);
  });

  it('pods of a StatefulSet get their names from a headless Service', async () => {
    const resources = await render(ALL_ON);
    const sets = ofKind(resources, 'StatefulSet');
    expect(sets.length).toBeGreaterThan(1);
    for (const { spec } of sets) {
      expect(named(resources, 'Service', String(spec.serviceName))?.spec).toMatchObject({
        clusterIP: 'None',
        selector: spec.selector.matchLabels,
      });
    }
  });

  it('S111: network policies open the ports of the configured addresses and of DNS', async () => {
    const resources = await render(
      CHART_VALUES.production as string[],
      'valkey={"url":"rediss://cache.example.org:6380","fromSecret":false}',
      'telemetry.otlpEndpoint="https://otel.example.org"',
      'networkPolicy.dnsPorts=[5353]',
      'postgresql.poolerPort=6432',
    );
    const portsOf = (name: string) =>
      (named(resources, 'NetworkPolicy', name)?.spec.egress ?? []).flatMap((rule) =>
        rule.ports.map(({ port }) => port),
      );
    // The gateway has its own database without a connection pooler.
    const ports = portsOf('shop-dds-gateway');
    expect(ports).not.toContain(6432);
    expect(portsOf('shop-dds-account')).toEqual(expect.arrayContaining([5432, 6432]));
    expect(ports).toEqual(expect.arrayContaining([6380, 443, 5353]));
    expect(ports).not.toContain(6379);
    expect(ports).not.toContain(53);
  });

  it('every listener accepts IPv6 if the cluster uses it', async () => {
    const hosts = workloadsOf(await render(ALL_ON, 'bindAddress="::"'))
      .flatMap(({ spec }) => containersOf(spec.template.spec))
      .flatMap(({ env }) => env.filter(({ name }) => name.endsWith('_HOST')));
    expect(hosts.length).toBeGreaterThan(8);
    expect([...new Set(hosts.map(({ value }) => value))]).toEqual(['::']);
  });

  it('S113: a secret with its own setting always comes from the Secret that the setting names', async () => {
    const items = {
      database_admin_url: { secret: 'vault-admin', key: 'url' },
      stripe_api_key: { secret: 'vault-stripe' },
      valkey_password: { secret: 'vault-valkey', key: 'word' },
    };
    const sourcesIn = (resources: Resource[]) =>
      podsOf(resources)
        .flatMap(({ spec }) => spec.volumes ?? [])
        .flatMap(({ projected }) => projected?.sources ?? [])
        .map(({ secret }) => [secret?.name, secret?.items[0]?.key, secret?.items[0]?.path].join());
    const set = `secrets.items=${JSON.stringify(items)}`;
    const found = [
      ...sourcesIn(await render(ALL_ON, set)),
      ...sourcesIn(await render(BROUGHT, set)),
    ];
    expect(found).toContain('vault-admin,url,database_admin_url');
    expect(found).toContain('vault-stripe,stripe_api_key,stripe_api_key');
    expect(found).toContain('vault-valkey,word,valkey_password');
    expect(found).not.toContain('dds,database_admin_url,database_admin_url');
  });

  it('S112: every client, including the scaler, logs in to the brokers with the named mechanism', async () => {
    const resources = await render(ALL_ON, 'kafka.saslMechanism="plain"');
    const logins = workloadsOf(resources)
      .flatMap(({ spec }) => containersOf(spec.template.spec))
      .filter(({ env }) => env.some(({ name }) => name === 'KAFKA_SASL_USERNAME'));
    expect(logins.length).toBeGreaterThan(5);
    for (const { env } of logins) {
      expect(env).toContainEqual({ name: 'KAFKA_SASL_MECHANISM', value: 'plain' });
    }
    const triggers = ofKind(resources, 'ScaledObject').flatMap(
      ({ spec }) => spec.triggers as { type: string; metadata: Record<string, string> }[],
    );
    const events = triggers.filter(({ type }) => type === 'kafka');
    expect(events.map(({ metadata }) => metadata.sasl)).toEqual(['plaintext', 'plaintext']);
  });

  it('`helm test` checks the readiness of every service, and Prometheus can read metrics pod by pod', async () => {
    const resources = await render(
      ALL_ON,
      'monitoring.serviceMonitor=false',
      'monitoring.podMonitor=true',
    );
    const [test] = ofKind(resources, 'Pod');
    expect(test?.metadata.annotations?.['helm.sh/hook']).toBe('test');
    const { containers } = (test as Resource).spec as unknown as PodSpec;
    const asked = containers.map(({ env }) => env[0]?.value);
    const services = workloadsOf(resources).filter(
      (one) => one.kind !== 'Job' && componentOf(one) !== 'cli',
    );
    expect(asked.toSorted()).toEqual(
      services.map(({ metadata }) => `http://${metadata.name}:7101/ready`).toSorted(),
    );
    expect(ofKind(resources, 'ServiceMonitor')).toEqual([]);
    expect(ofKind(resources, 'PodMonitor').map(({ spec }) => spec.podMetricsEndpoints)).toEqual([
      [{ port: 'probes', path: '/metrics', interval: '15s', honorLabels: true }],
    ]);
  });

  it('the ServiceMonitor selects the metrics of every service exactly once, and no other metrics', async () => {
    const resources = await render(ALL_ON);
    const { spec: watched } = ofKind(resources, 'ServiceMonitor')[0] as Resource;
    const [{ port, honorLabels }] = watched.endpoints as { port: string; honorLabels: boolean }[];
    // The labels `service` and `job` in our own metrics differ from those of the scrape target.
    expect(honorLabels).toBe(true);
    const selected = ofKind(resources, 'Service').filter(({ metadata, spec }) => {
      const wanted = Object.entries(watched.selector.matchLabels);
      const ports = spec.ports as { name: string }[];
      return (
        wanted.every(([key, value]) => metadata.labels[key] === value) &&
        ports.some(({ name }) => name === port)
      );
    });
    const services = workloadsOf(resources).filter(
      (one) => one.kind !== 'Job' && componentOf(one) !== 'cli',
    );
    expect(selected.map(componentOf).toSorted()).toEqual(services.map(componentOf).toSorted());
  });
});

const COMPONENT = 'app.kubernetes.io/component';

interface Template {
  metadata: { labels: Record<string, string> };
  spec: PodSpec;
}
