import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { loadConfig, settingsOf } from '#libs/platform';
import { installed } from '#libs/services';
import { CONFIGURED_APPS, SERVICES } from '../../apps/cli/src/declared.js';
import { writeSecretFiles } from '../../apps/cli/src/secrets/secret-files.js';
import {
  type Container,
  Chart,
  type PolicyRule,
  RELEASE,
  type Resource,
  componentOf,
  containersOf,
  workloadsOf,
} from './chart.js';
import { CHART_VALUES } from './chart-values.js';
import { chartTools, chartToolsAvailability } from './tools/programs.js';
import { composeServices } from './compose-plan.js';

/** The time limit is long, because the tools are built first if this machine does not have them. */
jest.setTimeout(1_900_000);

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const missing = chartToolsAvailability();

(missing === undefined ? describe : describe.skip)('the chart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chart-'));
  const rendered: Record<string, Resource[]> = {};
  let chart: Chart;

  beforeAll(async () => {
    chart = new Chart((await chartTools()).helm);
    for (const [name, values] of Object.entries(CHART_VALUES))
      rendered[name] = await chart.render(values);
    const database = 'postgres:5432/domain_data?sslmode=disable';
    const ownDatabases = { gateway: 'log:5433/gateway?sslmode=disable' };
    writeSecretFiles({ folder, database, ownDatabases, smtpUrl: 'smtp://mail.example:25' });
    // The files that an operator adds to those that the command creates.
    const added = ['valkey_url=redis://valkey:6379', 'stripe_api_key=sk', 'ca.crt=PEM'];
    const users = [...SERVICES.map(({ name }) => name), 'cli'];
    const passwords = users.map((name) => `${name}_kafka_sasl_password=of-the-broker`);
    added.push('stripe_callback_secrets=whsec_of_stripe', 'billing_paypal_client_secret=of-paypal');
    for (const line of [...added, ...passwords]) {
      const [name, text] = line.split('=') as [string, string];
      writeFileSync(join(folder, name), text);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const everywhere = (check: (resources: Resource[], name: string) => void) => {
    for (const [name, resources] of Object.entries(rendered)) check(resources, name);
  };
  const ofKind = (resources: Resource[], kind: string) =>
    resources.filter((resource) => resource.kind === kind);
  const own = (resources: Resource[]) =>
    workloadsOf(resources).filter((one) => componentOf(one) !== 'valkey');
  const environmentOf = ({ env }: Container) =>
    Object.fromEntries(
      env.map(({ name, value }) => [
        name,
        value.replace(/^\/run\/(secrets|trust\/[\w-]+)\//, `${folder}/`),
      ]),
    );
  const appOf = ({ args }: Container) =>
    (args.find((word) => word.startsWith('dist/')) as string).split('/')[2] as string;

  it.each(Object.keys(CHART_VALUES))('passes `helm lint --strict`: %s', async (name) => {
    expect(await chart.lint(CHART_VALUES[name] as string[])).toContain('0 chart(s) failed');
  });

  it('every service of the registry has pods, and an optional service has them only on request', () => {
    const servicesOf = (resources: Resource[]) =>
      [
        ...new Set(own(resources).flatMap(({ spec }) => spec.template.spec.containers.map(appOf))),
      ].toSorted();
    const least = installed(SERVICES, {}).map(({ name }) => name);
    expect(servicesOf(rendered['all off'] ?? [])).toEqual([...least, 'cli'].toSorted());
    const all = SERVICES.map(({ name }) => name);
    expect(servicesOf(rendered['all on'] ?? [])).toEqual([...all, 'cli'].toSorted());
  });

  it('every variable is a declared setting, and together they complete each configuration', () => {
    everywhere((resources, values) => {
      for (const { spec } of own(resources)) {
        for (const container of containersOf(spec.template.spec)) {
          const app = appOf(container);
          const environment = environmentOf(container);
          const configs = CONFIGURED_APPS.filter(({ name }) => name === app).map(
            ({ config }) => config,
          );
          const declared = configs.flatMap(settingsOf).map(({ env }) => env);
          const unknown = Object.keys(environment).filter(
            (name) => !declared.includes(name.replace(/_FILE$/, '')) && !declared.includes(name),
          );
          expect([values, app, unknown]).toEqual([values, app, []]);
          for (const config of configs) expect(() => loadConfig(config, environment)).not.toThrow();
          expect(existsSync(container.args.find((word) => word.startsWith('dist/')) ?? '')).toBe(
            true,
          );
        }
      }
    });
  });

  it('pods and operator commands get the same settings as the services in the compose file', async () => {
    const all = await chart.render(CHART_VALUES['all on'] as string[], 'cli.superuser=true');
    const pods = new Map(
      own(all).map((one) => [componentOf(one), one.spec.template.spec.containers[0]]),
    );
    for (const [name, { command = [], environment = {}, build }] of Object.entries(
      composeServices(),
    )) {
      if (build === undefined) continue;
      const container = pods.get(name.replace(/-\d$/, '').replace('provision', 'migrate'));
      const given = container?.env.map((one) => one.name.replace(/_FILE$/, '')) ?? [];
      const wanted = Object.keys(environment).map((one) => one.replace(/_FILE$/, ''));
      expect([name, wanted.filter((one) => !given.includes(one))]).toEqual([name, []]);
      const options = command.slice(
        0,
        command.findIndex((word) => word.startsWith('dist/')),
      );
      expect([name, container?.args.slice(0, options.length)]).toEqual([name, options]);
    }
  });

  it('services refer to one another by existing addresses and ports', () => {
    everywhere((resources, values) => {
      const by = ['all off', 'small'].includes(values) ? 'http' : 'https';
      const origins = ofKind(resources, 'Service').flatMap(({ metadata, spec }) =>
        (spec.ports as { port: number }[]).map(({ port }) => `${by}://${metadata.name}:${port}`),
      );
      const urls = new Set(SERVICES.flatMap(({ urlSetting = [] }) => urlSetting));
      const named = workloadsOf(resources)
        .flatMap(({ spec }) => spec.template.spec.containers.flatMap(({ env }) => env))
        .filter(({ name }) => urls.has(name));
      expect(named.length).toBeGreaterThan(2);
      expect(named.map(({ value }) => value).filter((url) => !origins.includes(url))).toEqual([]);
    });
  });

  it('S110: every pod runs with limits, without privileges, on a read-only root file system, and without a service account token', () => {
    everywhere((resources) => {
      expect(workloadsOf(resources).length).toBeGreaterThan(4);
      for (const { spec } of workloadsOf(resources)) {
        const pod = spec.template.spec;
        expect(pod).toMatchObject({
          automountServiceAccountToken: false,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 10001,
            seccompProfile: { type: 'RuntimeDefault' },
          },
        });
        for (const one of ['hostNetwork', 'hostPID', 'hostIPC'])
          expect(pod).not.toHaveProperty(one);
        expect(pod.volumes.filter((volume) => 'hostPath' in volume)).toEqual([]);
        for (const container of containersOf(pod)) {
          expect(container).toMatchObject({
            image: expect.stringMatching(/^[\w./:-]+:\d+\.\d+\.\d+(-alpine)?$/),
            securityContext: {
              allowPrivilegeEscalation: false,
              privileged: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
              seccompProfile: { type: 'RuntimeDefault' },
            },
            resources: {
              requests: { cpu: expect.any(String), memory: expect.any(String) },
              limits: { memory: expect.any(String) },
            },
          });
        }
      }
    });
  });

  it('S110: every service has probes and a disruption budget, and is spread over several nodes', () => {
    for (const values of ['all on', 'production', 'brought along']) {
      const resources = rendered[values] ?? [];
      const guarded = ofKind(resources, 'PodDisruptionBudget').map(
        ({ spec }) => spec.selector.matchLabels['app.kubernetes.io/component'],
      );
      const staying = own(resources).filter(
        (one) => one.kind !== 'Job' && componentOf(one) !== 'cli',
      );
      expect(guarded.toSorted()).toEqual(staying.map(componentOf).toSorted());
      for (const { spec } of staying) {
        const pod = spec.template.spec;
        expect(pod.containers[0]).toMatchObject({
          startupProbe: { httpGet: { path: '/health', port: 'probes' } },
          readinessProbe: { httpGet: { path: '/ready', port: 'probes' } },
          livenessProbe: { httpGet: { path: '/health', port: 'probes' } },
          ports: expect.arrayContaining([{ name: 'internal', containerPort: 7100 }]),
        });
        const keys = pod.topologySpreadConstraints.map(({ topologyKey }) => topologyKey);
        expect(keys).toEqual(['topology.kubernetes.io/zone', 'kubernetes.io/hostname']);
      }
    }
  });

  it('a new version replaces the pods of a service one by one without a gap, except a single pod with a volume', () => {
    everywhere((resources) => {
      for (const { kind, metadata, spec } of own(resources)) {
        if (kind === 'Job' || metadata.name.endsWith('-cli')) continue;
        const least = leastPods(resources, metadata.name);
        const { strategy, updateStrategy, replicas = least } = spec as unknown as Replaced;
        const rolling = { type: 'RollingUpdate' };
        if (kind === 'StatefulSet') expect(updateStrategy).toEqual(rolling);
        else {
          expect(strategy).toMatchObject(rolling);
          const { maxSurge, maxUnavailable } = strategy.rollingUpdate;
          expect([metadata.name, maxSurge + maxUnavailable]).toEqual([metadata.name, 1]);
          expect(replicas - maxUnavailable).toBeGreaterThan(0);
        }
      }
    });
  });

  it('a pod keeps its listeners open until the nodes know that it is ending, before or as a part of its drain', () => {
    everywhere((resources) => {
      for (const workload of own(resources)) {
        if (workload.kind === 'Job' || workload.metadata.name.endsWith('-cli')) continue;
        const { containers, terminationGracePeriodSeconds } = workload.spec.template.spec;
        const hasNotice = ['gateway', 'dashboard'].includes(componentOf(workload));
        const lifecycle = { preStop: { sleep: { seconds: 5 } } };
        if (hasNotice) expect(containers[0]).not.toHaveProperty('lifecycle');
        else {
          expect(containers[0]).toMatchObject({ lifecycle });
          expect(terminationGracePeriodSeconds).toBe(45);
        }
      }
    });
  });

  it('S111: only declared connections are allowed, and only services that declare it can reach the internet', () => {
    for (const values of ['all on', 'production', 'brought along']) {
      const policies = ofKind(rendered[values] ?? [], 'NetworkPolicy');
      const [deny] = policies.filter(({ metadata }) => metadata.name.endsWith('-default-deny'));
      expect(deny?.spec).toEqual({
        podSelector: {
          matchLabels: {
            'app.kubernetes.io/name': 'domain-data-service',
            'app.kubernetes.io/instance': RELEASE,
          },
        },
        policyTypes: ['Ingress', 'Egress'],
      });
      for (const policy of policies.filter((one) => one !== deny)) {
        const name = policy.spec.podSelector.matchLabels['app.kubernetes.io/component'];
        const rules = [...(policy.spec.egress ?? []), ...(policy.spec.ingress ?? [])];
        // A rule without peers allows all peers, and a rule without ports allows all ports.
        for (const { to, from, ports } of rules) {
          expect([name, (to ?? from ?? []).length > 0, ports.length > 0]).toEqual([
            name,
            true,
            true,
          ]);
        }
        const outward = (policy.spec.egress ?? []).filter(isToTheInternet);
        const service = SERVICES.find((one) => one.name === name);
        const isMailer = ['account', 'worker'].includes(name ?? '') && values === 'brought along';
        expect([
          name,
          [...new Set(outward.flatMap(({ ports }) => ports.map(({ port }) => port)))],
        ]).toEqual([name, [...(isMailer ? [465, 587] : []), ...(service?.outwardPorts ?? [])]]);
        for (const { ipBlock } of outward.flatMap(({ to }) => to ?? [])) {
          const inner =
            ipBlock?.cidr === '::/0'
              ? ['::1/128', 'fc00::/7', 'fe80::/10']
              : ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '127.0.0.0/8'];
          expect(ipBlock?.except).toEqual(expect.arrayContaining(inner));
        }
      }
    }
    const declared = SERVICES.map(({ name, outwardPorts }) => [name, outwardPorts]);
    expect(declared.filter(([, ports]) => ports !== undefined)).toEqual([
      ['account', [443]],
      ['billing', [443]],
      ['corpus', [443]],
      ['lookup', [43, 53, 443]],
      ['worker', [443]],
    ]);
  });

  const isToTheInternet = ({ to = [] }: PolicyRule) =>
    to.some(({ ipBlock }) => ipBlock !== undefined && ipBlock.cidr.endsWith('/0'));

  it('S111: each service accepts exactly the calls that other services may make to it', () => {
    const policies = ofKind(rendered['all on'] ?? [], 'NetworkPolicy');
    const pairs = (direction: 'egress' | 'ingress') =>
      policies.flatMap(({ spec }) => {
        const own = spec.podSelector.matchLabels['app.kubernetes.io/component'];
        return (spec[direction] ?? [])
          .flatMap(({ to, from }) => to ?? from ?? [])
          .flatMap(
            ({ podSelector }) => podSelector?.matchLabels?.['app.kubernetes.io/component'] ?? [],
          )
          .map((other) => (direction === 'egress' ? `${own}>${other}` : `${other}>${own}`));
      });
    const called = SERVICES.filter(({ urlSetting }) => urlSetting).map(({ name }) => name);
    const behind = called.filter((name) => name !== 'gateway');
    const expected = [
      'billing>account',
      'billing>entitlement',
      ...['account', 'billing', 'corpus', 'entitlement'].map((one) => `cli>${one}`),
      'lookup>corpus',
      ...['account', 'corpus', 'entitlement', 'lookup'].map((one) => `worker>${one}`),
      ...behind.map((one) => `gateway>${one}`),
      ...[...behind, 'gateway'].map((one) => `dashboard>${one}`),
      ...SERVICES.map(({ name }) => `test>${name}`),
    ];
    expect(pairs('egress').toSorted()).toEqual(expected.toSorted());
    expect(pairs('ingress').toSorted()).toEqual(pairs('egress').toSorted());
  });

  it('S112: each service has a certificate only for its own name, from an authority that signs no other certificates', () => {
    for (const values of ['all on', 'production', 'brought along', 'defaults']) {
      const resources = rendered[values] ?? [];
      const certificates = ofKind(resources, 'Certificate').map(
        ({ spec }) => spec as unknown as Certificate,
      );
      const [authority] = certificates.filter(({ isCA }) => isCA);
      const issued = certificates.filter((one) => one !== authority);
      const [signer, itself] = [issued, [authority]].map((all) => [
        ...new Set(all.map((one) => one?.issuerRef.name)),
      ]);
      const issuers = ofKind(resources, 'Issuer').map(({ metadata, spec }) => [
        metadata.name,
        spec,
      ]);
      expect(Object.fromEntries(issuers)).toEqual({
        [String(itself)]: { selfSigned: {} },
        [String(signer)]: { ca: { secretName: authority?.secretName } },
      });
      const pods = own(resources).filter(({ kind }) => kind !== 'Job');
      expect(issued.map(({ dnsNames }) => dnsNames.join()).toSorted()).toEqual(
        pods.map(componentOf).toSorted(),
      );
      for (const pod of pods) {
        const { containers, volumes } = pod.spec.template.spec;
        const [mounted] = volumes.flatMap(({ name, secret }) => (name === 'tls' ? secret : []));
        const [mine] = issued.filter(({ dnsNames }) => dnsNames[0] === componentOf(pod));
        expect(mounted?.secretName).toBe(mine?.secretName);
        expect(mine).toMatchObject({
          duration: '24h',
          usages: expect.arrayContaining(['client auth', 'server auth']),
        });
        const { INTERNAL_TLS_FOLDER: at } = environmentOf(containers[0] as Container);
        expect(containers[0]?.volumeMounts).toContainEqual({
          name: 'tls',
          mountPath: at,
          readOnly: true,
        });
      }
    }
  });

  it('S112: events use SASL_SSL, and Strimzi grants each service access only to its topics', () => {
    const resources = rendered['brought along'] ?? [];
    for (const pod of own(resources).flatMap(({ spec }) => spec.template.spec.containers)) {
      const environment = environmentOf(pod);
      if (!('KAFKA_BROKERS' in environment)) continue;
      const user = appOf(pod);
      expect(environment).toMatchObject({ KAFKA_TLS: 'true', KAFKA_SASL_USERNAME: user });
    }
    const users = ofKind(resources, 'KafkaUser').map(({ metadata, spec }) => {
      const { acls = [] } = (spec.authorization ?? {}) as { acls?: AccessRule[] };
      const topics = acls.filter(({ resource }) => resource.type === 'topic');
      return [
        metadata.name,
        topics.map(({ resource, operations }) => `${operations} ${resource.name}`),
      ];
    });
    expect(Object.fromEntries(users)).toEqual({
      account: ['Write account.events'],
      corpus: ['Write corpus.events'],
      entitlement: ['Write entitlement.events', 'Read account.events', 'Read billing.events'],
      gateway: ['Write gateway.events', 'Read account.events', 'Read entitlement.events'],
      worker: [
        'Write worker.events',
        'Read account.events',
        'Read entitlement.events',
        'Read billing.events',
      ],
      cli: [],
    });
  });

  it('S113: secrets are files of an existing Secret; no secret is an environment variable, and the chart creates no Secret', async () => {
    const secret = CONFIGURED_APPS.flatMap(({ config }) => settingsOf(config))
      .filter((setting) => setting.secret)
      .map(({ env }) => env);
    everywhere((resources) => {
      expect(ofKind(resources, 'Secret')).toEqual([]);
      for (const { spec } of own(resources)) {
        const { volumes } = spec.template.spec;
        const mounted = volumes.flatMap(({ projected }) =>
          (projected?.sources ?? []).flatMap((source) => source.secret?.items ?? []),
        );
        for (const { env, volumeMounts } of containersOf(spec.template.spec)) {
          const open = env.filter(({ name }) => secret.includes(name));
          // A Valkey without a password does not need a secret.
          expect(open.filter(({ value }) => value !== 'redis://valkey:6379')).toEqual([]);
          expect(env.filter(({ valueFrom }) => valueFrom)).toEqual([]);
          const files = env.filter(({ value }) => value.startsWith('/run/secrets/'));
          expect(files.map(({ value }) => value.split('/')[3]).toSorted()).toEqual(
            mounted.map(({ path }) => path).toSorted(),
          );
          // A file mounted with subPath would not change when the Secret is rotated.
          expect(volumeMounts.filter((mount) => 'subPath' in mount)).toEqual([]);
        }
      }
    });
    expect(await chart.text(CHART_VALUES['all on'] as string[])).not.toMatch(
      /password: *['"]?[^ '",}{]+$/m,
    );
  });

  it('S114: only the migration, a hook before every upgrade, gets the superuser’s URL', () => {
    everywhere((resources, values) => {
      const given = workloadsOf(resources).filter(({ spec }) =>
        containersOf(spec.template.spec).some(({ env }) =>
          env.some(({ name }) => name === 'DATABASE_ADMIN_URL_FILE'),
        ),
      );
      expect(
        given.map(({ kind, metadata }) => [kind, metadata.annotations?.['helm.sh/hook']]),
      ).toEqual([['Job', `${values === 'brought along' ? 'post' : 'pre'}-install,pre-upgrade`]]);
      expect(given[0]?.spec.template.spec.containers[0]?.args.at(-1)).toBe('migrate');
    });
  });

  it('S114: a service with a separate database can reach only that database, and the migration can reach all', () => {
    const resources = rendered['all on'] ?? [];
    const own = { to: [{ ipBlock: { cidr: '10.2.0.20/32' } }], port: 5433 };
    const shared = { to: [{ ipBlock: { cidr: '10.2.0.10/32' } }], port: 5432 };
    const databasesOf = (component: string) => {
      const [policy] = ofKind(resources, 'NetworkPolicy').filter(
        ({ metadata }) => metadata.name === `${RELEASE}-dds-${component}`,
      );
      const rules = policy?.spec.egress as (PolicyRule & { to?: unknown })[];
      const found = rules.map(({ to, ports = [] }) => ({ to, port: ports[0]?.port }));
      return found.filter(({ port }) => port === own.port || port === shared.port);
    };
    expect(databasesOf('gateway')).toEqual([own]);
    expect(databasesOf('account')).toEqual([shared]);
    expect(databasesOf('migrate')).toEqual([shared, own]);
    const given = workloadsOf(resources)
      .flatMap(({ spec }) => containersOf(spec.template.spec))
      .filter(({ env }) => env.some(({ name }) => name === 'GATEWAY_DATABASE_ADMIN_URL_FILE'));
    expect(given.map(({ args }) => args.at(-1))).toEqual(['provision', 'migrate']);
    for (const { volumeMounts } of given) {
      const mounts = volumeMounts.map(({ mountPath }) => mountPath);
      expect(mounts).toContain('/run/trust/gateway-postgresql');
    }
  });

  it('a pod of the gateway has 10 s to stop in addition to its notice and drain times', async () => {
    const graceOf = (resources: Resource[]) =>
      workloadsOf(resources).find((one) => componentOf(one) === 'gateway')?.spec.template.spec
        .terminationGracePeriodSeconds;
    expect(graceOf(rendered['all off'] ?? [])).toBe(40);
    const slow = 'services.gateway.settings={"GATEWAY_DRAIN_MS":60000}';
    expect(graceOf(await chart.render(CHART_VALUES['all off'] as string[], slow))).toBe(75);
  });

  it('a small installation has memory limits of 2.6 GB in total and one pod per service', () => {
    const pods = workloadsOf(rendered.small ?? []).filter(({ kind }) => kind !== 'Job');
    const limits = pods.flatMap(({ spec }) =>
      spec.template.spec.containers.map(({ resources }) => resources.limits.memory as string),
    );
    const bytes = limits.map((text) => parseInt(text, 10) * (text.endsWith('Gi') ? GIB : MIB));
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(2.65e9);
    expect(pods.map(({ spec }) => spec.replicas)).toEqual(pods.map(() => 1));
  });

  it('a scaler uses CPU time, waiting events or a Prometheus query, and the chart leaves the number of pods to it', () => {
    const resources = rendered['all on'] ?? [];
    const targets = [
      ...ofKind(resources, 'HorizontalPodAutoscaler'),
      ...ofKind(resources, 'ScaledObject'),
    ];
    expect(targets.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([
      ['HorizontalPodAutoscaler', `${RELEASE}-dds-gateway`],
      ['ScaledObject', `${RELEASE}-dds-entitlement`],
      ['ScaledObject', `${RELEASE}-dds-lookup`],
    ]);
    for (const { spec } of targets) {
      const target = spec.scaleTargetRef as { kind: string; name: string };
      const [workload] = resources.filter(
        ({ kind, metadata }) => kind === target.kind && metadata.name === target.name,
      );
      expect(workload).toBeDefined();
      expect(workload?.spec).not.toHaveProperty('replicas');
    }
    const triggers = targets.map(({ spec }) => (spec.triggers ?? []) as Trigger[]);
    expect(triggers.map((all) => all.map(({ type }) => type))).toEqual([
      [],
      ['cpu', 'prometheus', 'kafka', 'kafka'],
      ['cpu', 'prometheus'],
    ]);
    const metrics = readFileSync('docs/operations/metrics.md', 'utf8');
    const queries = triggers.flat().flatMap(({ metadata }) => metadata.query ?? []);
    expect(queries).toHaveLength(2);
    for (const query of queries) {
      expect(metrics).toContain(`| \`${/dds_\w+/.exec(query)?.[0]}\``);
      expect(query).toContain('{namespace="default"}');
    }
  });

  it('each host can have its own certificate, and a host that is used twice has one', async () => {
    const perHost = [
      'ingress.tlsSecretPerHost=true',
      'ingress.annotations={"cert-manager.io/issuer":"x"}',
    ];
    const secretsOf = async (...sets: string[]) =>
      ofKind(await chart.render(CHART_VALUES['all on'] as string[], ...perHost, ...sets), 'Ingress')
        .flatMap(({ spec }) => spec.tls as { hosts: string[]; secretName: string }[])
        .map(({ hosts, secretName }) => `${hosts.join()} ${secretName}`);
    expect(await secretsOf()).toEqual([
      'api.example.org tls-api',
      'app.example.org tls-dashboard',
      'callbacks.example.org tls-callbacks',
    ]);
    expect(new Set(await secretsOf('hosts.callbacks=""'))).toEqual(
      new Set(['api.example.org tls-api', 'app.example.org tls-dashboard']),
    );
  });

  it('public host names lead to gateways and dashboards, and callbacks lead to dashboards', () => {
    const resources = rendered['all on'] ?? [];
    const ways = ofKind(resources, 'HTTPRoute').map(({ spec }) => {
      const [rule] = spec.rules as {
        backendRefs: { name: string; port: number }[];
        timeouts?: object;
      }[];
      expect(rule.timeouts).toEqual({ request: '0s' });
      return [
        (spec.hostnames as string[])[0],
        rule?.backendRefs[0]?.name,
        rule?.backendRefs[0]?.port,
      ];
    });
    expect(ways).toEqual([
      ['api.example.org', `${RELEASE}-dds-gateway`, 8080],
      ['app.example.org', `${RELEASE}-dds-dashboard`, 8080],
      ['callbacks.example.org', `${RELEASE}-dds-dashboard`, 8080],
    ]);
    expect(ofKind(resources, 'Ingress').map(({ spec }) => spec.tls)).toEqual(
      ways.map(([host]) => [{ hosts: [host], secretName: 'tls' }]),
    );
  });
});

/** Returns the smallest number of pods that a workload's scaler sets. */
function leastPods(resources: Resource[], workload: string): number {
  const specs = resources.map(({ spec }) => spec as unknown as Scaler | undefined);
  const scaler = specs.find((spec) => spec?.scaleTargetRef?.name === workload);
  return scaler?.minReplicas ?? scaler?.minReplicaCount ?? NaN;
}

interface Scaler {
  scaleTargetRef?: { name: string };
  minReplicas?: number;
  minReplicaCount?: number;
}

interface Replaced {
  replicas?: number;
  strategy: { rollingUpdate: Record<'maxSurge' | 'maxUnavailable', number> };
  updateStrategy: object;
}

interface Certificate {
  isCA?: boolean;
  secretName: string;
  dnsNames: string[];
  issuerRef: { name: string };
}

interface Trigger {
  type: string;
  metadata: { query?: string };
}

interface AccessRule {
  resource: { type: string; name: string };
  operations: string[];
}
