import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { load, loadAll } from 'js-yaml';
import { freePorts } from '#libs/platform';
import { type OwnCertificate, makeOwnCertificate, waitFor } from '#test/environment';
import { Daemon } from '../../../apps/simulators/src/dns/daemon.js';
import { CHART_VALUES, FOR_EVERY_POD } from '../chart-values.js';
import { Chart, type PodSpec, RELEASE, type Resource, workloadsOf } from '../chart.js';
import { moduleFolder } from '../tools/go-program.js';
import {
  type ApiServerPrograms,
  apiServerAvailability,
  apiServerPrograms,
  chartTools,
  chartToolsAvailability,
} from '../tools/programs.js';
import { strimziAvailability, strimziDefinitions } from '../tools/strimzi-definitions.js';
import { KubernetesClient, type KubernetesObject } from './kubernetes-client.js';

/** A time limit for CI, which builds the programs if they have not been built before. */
jest.setTimeout(3_600_000);

const NAMESPACE = 'dds';
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods?dryRun=All&fieldValidation=Strict`;
/** Settings without a service account, because the API server accepts a pod only if its service account exists. */
const { serviceAccount: _account, ...OF_POD_SPECS } = FOR_EVERY_POD;
const missing = chartToolsAvailability() ?? strimziAvailability() ?? apiServerAvailability();

const READY_LIMIT_MS = 180_000;
const RSA_BITS = 2048;

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Defined {
  status?: { conditions?: { type: string; status: string }[] };
}

/** A real Kubernetes API server on loopback with its own store, but without controllers. */
class ApiServer {
  readonly client: KubernetesClient;
  /** The path of a kubeconfig with the server and its administrator, for other programs. */
  readonly kubeconfig: string;
  private readonly daemons: Daemon[] = [];
  private readonly origin: string;
  private readonly certificate: OwnCertificate;
  private readonly accountKeyFile: string;

  private constructor(
    private readonly folder: string,
    private readonly ports: [etcd: number, peer: number, api: number],
    private readonly token: string,
  ) {
    this.certificate = makeOwnCertificate(folder, 'api');
    this.origin = `https://127.0.0.1:${ports[2]}`;
    this.client = new KubernetesClient(this.origin, token, this.certificate.authority);
    this.kubeconfig = join(folder, 'kubeconfig');
    this.accountKeyFile = join(folder, 'accounts.pem');
  }

  static async start(programs: ApiServerPrograms): Promise<ApiServer> {
    const folder = mkdtempSync(join(tmpdir(), 'kubernetes-'));
    const ports = (await freePorts(3)) as [number, number, number];
    const server = new ApiServer(folder, ports, randomUUID());
    try {
      server.writeFiles();
      await server.launch(programs);
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  /** Creates a namespace that admits only pods without any privileges (the restricted level of Pod Security). */
  async createRestricted(name: string): Promise<void> {
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    await this.client.create('/api/v1/namespaces', { metadata: { name, labels } });
  }

  /** Defines additional kinds of resources. Resolves when the server serves them. */
  async define(definitions: readonly KubernetesObject[]): Promise<void> {
    await Promise.all(
      definitions.map(async (definition) => {
        await this.client.create(DEFINITIONS, definition);
        const { name } = definition.metadata;
        const isServed = async () => {
          const { status } = await this.client.get<Defined>(`${DEFINITIONS}/${name}`);
          return status?.conditions?.some(
            ({ type, status: is }) => type === 'Established' && is === 'True',
          );
        };
        await waitFor(`${name} to be served`, isServed);
      }),
    );
  }

  async stop(): Promise<void> {
    for (const daemon of this.daemons.toReversed()) await daemon.stop();
    await this.client.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private writeFiles(): void {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: RSA_BITS,
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    writeFileSync(this.accountKeyFile, privateKey, { mode: 0o600 });
    const line = `${this.token},admin,admin,system:masters\n`;
    writeFileSync(join(this.folder, 'tokens.csv'), line, { mode: 0o600 });
    const cluster = {
      server: this.origin,
      'certificate-authority': this.certificate.certificateFile,
    };
    // A kubeconfig may be JSON, because JSON is also YAML.
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'test', cluster }],
      users: [{ name: 'admin', user: { token: this.token } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
      'current-context': 'test',
    };
    writeFileSync(this.kubeconfig, JSON.stringify(config), { mode: 0o600 });
    mkdirSync(join(this.folder, 'etcd'), { mode: 0o700 });
  }

  private async launch({ etcd, apiServer }: ApiServerPrograms): Promise<void> {
    const [client, peer, api] = this.ports.map(String);
    const [clientUrl, peerUrl] = [client, peer].map((port) => `http://127.0.0.1:${port}`);
    await this.run(Number(client), etcd, [
      `--data-dir=${join(this.folder, 'etcd')}`,
      `--listen-client-urls=${clientUrl}`,
      `--advertise-client-urls=${clientUrl}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      '--unsafe-no-fsync',
    ]);
    await this.run(Number(api), apiServer, [
      `--etcd-servers=${clientUrl}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${api}`,
      `--cert-dir=${this.folder}`,
      `--tls-cert-file=${this.certificate.certificateFile}`,
      `--tls-private-key-file=${this.certificate.keyFile}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${this.accountKeyFile}`,
      `--service-account-signing-key-file=${this.accountKeyFile}`,
      `--token-auth-file=${join(this.folder, 'tokens.csv')}`,
      '--authorization-mode=RBAC',
      '--service-cluster-ip-range=10.96.0.0/16',
      '--endpoint-reconciler-type=none',
      // The namespace decides whether a pod may be privileged.
      '--allow-privileged=true',
    ]);
    const isReady = () =>
      this.client.get('/readyz').then(
        () => true,
        () => false,
      );
    await waitFor('the API server to be ready', isReady, READY_LIMIT_MS);
  }

  private async run(port: number, path: string, args: string[]): Promise<void> {
    const endpoint = { address: '127.0.0.1', port };
    // Go then collects garbage less often.
    const start = ['--pdeathsig', 'KILL', 'env', 'GOGC=400', path];
    this.daemons.push(await Daemon.start('setpriv', [...start, ...args], endpoint));
  }
}

/** Go modules that contain the definitions of resources, with the paths of these definitions. */
const DEFINING_MODULES = [
  {
    module: 'sigs.k8s.io/gateway-api',
    version: 'v1.6.1',
    path: 'config/crd/standard/*_httproutes.yaml',
  },
  {
    module: 'github.com/prometheus-operator/prometheus-operator',
    version: 'v0.85.0',
    path: 'example/prometheus-operator-crd/*_{servicemonitors,podmonitors,prometheusrules}.yaml',
  },
  {
    module: 'github.com/kedacore/keda/v2',
    version: 'v2.21.0',
    path: 'config/crd/bases/keda.sh_{scaledobjects,triggerauthentications}.yaml',
  },
  {
    module: 'github.com/cert-manager/cert-manager',
    version: 'v1.20.0',
    path: 'deploy/crds/cert-manager.io_{certificates,certificaterequests,issuers,clusterissuers}.yaml',
  },
  {
    module: 'github.com/cloudnative-pg/cloudnative-pg',
    version: 'v1.30.0',
    path: 'config/crd/bases/postgresql.cnpg.io_{clusters,scheduledbackups}.yaml',
  },
  {
    module: 'github.com/cloudnative-pg/plugin-barman-cloud',
    version: 'v0.15.0',
    path: 'config/crd/bases/barmancloud.cnpg.io_objectstores.yaml',
  },
];

/** Returns the definition of every kind of resource in the chart that Kubernetes itself does not define. */
async function customDefinitions(): Promise<KubernetesObject[]> {
  const files = await strimziDefinitions();
  for (const { path, ...module } of DEFINING_MODULES) {
    const folder = await moduleFolder(module);
    const found = globSync(path, { cwd: folder });
    if (found.length === 0) throw new Error(`${module.module} has no ${path}`);
    files.push(...found.map((file) => join(folder, file)));
  }
  return files.map((file) => load(readFileSync(file, 'utf8')) as KubernetesObject);
}

(missing === undefined || process.env.CI === 'true' ? describe : describe.skip)(
  'the chart at a real Kubernetes API server',
  () => {
    let server: ApiServer;
    let chart: Chart;

    beforeAll(async () => {
      chart = new Chart((await chartTools()).helm);
      server = await ApiServer.start(await apiServerPrograms());
      await server.define(await customDefinitions());
      await server.createRestricted(NAMESPACE);
      // In a cluster, a controller creates the service account.
      const account = { metadata: { name: 'default' } };
      await server.client.create(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, account);
      const priority = { metadata: { name: FOR_EVERY_POD.priorityClassName }, value: 1 };
      await server.client.create('/apis/scheduling.k8s.io/v1/priorityclasses', priority);
    });
    afterAll(() => server?.stop());

    const installDry = (values: string[], ...sets: string[]) =>
      chart.installDry({ kubeconfig: server.kubeconfig, namespace: NAMESPACE }, values, ...sets);
    const refusalOf = (attempt: Promise<unknown>) =>
      attempt.then(
        () => '',
        (error: Error) => error.message,
      );
    const podOf = ({ metadata, spec }: Resource): PodToCreate => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: metadata.name, labels: spec.template.metadata.labels },
      spec: podSpecOf(spec.template.spec),
    });

    it.each([
      ...Object.entries(CHART_VALUES).map(([name, values]) => [name, values, []] as const),
      [
        'common settings of every pod',
        CHART_VALUES['brought along'] as string[],
        [`defaults=${JSON.stringify(OF_POD_SPECS)}`],
      ] as const,
    ])(
      'S110: the chart is accepted, with every field, in a restricted namespace: %s',
      async (_name, values, sets) => {
        expect(await installDry(values, ...sets)).toContain('STATUS: pending-install');
        const text = await chart.text(values, ...sets);
        const resources = loadAll(text).filter(Boolean) as KubernetesObject[];
        expect(resources.length).toBeGreaterThan(8);
        const nameOf = ({ metadata }: KubernetesObject) => metadata.name;
        const stored = resources.map((one) => server.client.applyDry(one, NAMESPACE));
        expect((await Promise.all(stored)).map(nameOf)).toEqual(resources.map(nameOf));
        const workloads = workloadsOf(resources as unknown as Resource[]);
        expect(workloads.length).toBeGreaterThan(4);
        await Promise.all(workloads.map((one) => server.client.create(PODS, podOf(one))));
      },
    );

    describe('the number of pods of an installed release', () => {
      const place = () => ({ kubeconfig: server.kubeconfig, namespace: NAMESPACE });
      const values = CHART_VALUES['all off'] as string[];
      const [fixed, scaled] = [
        'services.dashboard={"replicas":5}',
        'services.dashboard={"replicas":2,"autoscaling":{"enabled":true,"min":2,"max":9}}',
      ];
      const path = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/${RELEASE}-dds-dashboard`;
      const replicas = async () => (await server.client.get<Scale>(path)).spec.replicas;
      const scalerSets = (wanted: number) =>
        server.client.merge(`${path}/scale`, { spec: { replicas: wanted } });

      it('stays unchanged when autoscaling is turned on, and is set by the scaler from then on', async () => {
        await chart.store('install', place(), values, fixed);
        await chart.store('upgrade', place(), values, scaled);
        expect(await replicas()).toBe(5);
        // The scaler has not set the number yet. If this revision also omitted the number, it would change to 1.
        await chart.store('upgrade', place(), values, scaled, 'image.tag="0.1.1"');
        expect(await replicas()).toBe(5);
        await scalerSets(7);
        await chart.store('upgrade', place(), values, scaled, 'image.tag="0.1.2"');
        expect(await replicas()).toBe(7);
      });

      it('is set by the chart again only if an operator requests this', async () => {
        const contested = /conflict with .* \.spec\.replicas/;
        expect(await refusalOf(chart.store('upgrade', place(), values, fixed))).toMatch(contested);
        expect(await refusalOf(chart.restore(place(), 2))).toMatch(contested);
        expect(await replicas()).toBe(7);
        // This revision leaves the number to the scaler.
        await chart.restore(place(), 4);
        expect(await replicas()).toBe(7);
        await chart.restore(place(), 1, '--force-conflicts');
        expect(await replicas()).toBe(5);
      });
    });

    it('a change to a value that is fixed at installation is reported before anything changes', async () => {
      const namespace = 'volumes';
      await server.createRestricted(namespace);
      const place = { kubeconfig: server.kubeconfig, namespace };
      const values = CHART_VALUES['all off'] as string[];
      const sized = (size: string) => `services.gateway.volume.size="${size}"`;
      await chart.store('install', place, values, sized('1Gi'));
      expect(await refusalOf(chart.store('upgrade', place, values, sized('2Gi')))).toContain(
        'services.gateway.volume.size is 2Gi, but the volumes were created with 1Gi, and Kubernetes cannot change the volumes of a StatefulSet',
      );
      await chart.store('upgrade', place, values, sized('1Gi'));
    });

    it.each([
      ['runs as root', { runAsNonRoot: false }],
      ['is privileged', { privileged: true, allowPrivilegeEscalation: true }],
      ['may gain rights', { allowPrivilegeEscalation: true }],
      ['keeps its capabilities', { capabilities: { drop: [] } }],
      ['has no seccomp filter', { seccompProfile: { type: 'Unconfined' } }],
    ])('S110: the namespace rejects a pod of the chart that %s', async (_what, securityContext) => {
      const [workload] = workloadsOf(await chart.render(CHART_VALUES['all off'] as string[]));
      const pod = podOf(workload as Resource);
      for (const container of pod.spec.containers) {
        Object.assign(container.securityContext, securityContext);
      }
      expect(await refusalOf(server.client.create(PODS, pod))).toMatch(/violates PodSecurity/);
    });

    it('S110: a field that the API does not know is rejected', async () => {
      const [workload] = workloadsOf(await chart.render(CHART_VALUES['all off'] as string[]));
      const text = JSON.stringify(workload).replace(
        'readOnlyRootFilesystem',
        'readonlyRootFilesystem',
      );
      const attempt = server.client.applyDry(JSON.parse(text) as KubernetesObject, NAMESPACE);
      expect(await refusalOf(attempt)).toMatch(/readonlyRootFilesystem/);
    });

    it.each([
      ['services.gateway.tolerations=[{"operator":"Sometimes"}]', /Sometimes/],
      ['services.gateway.podAnnotations={"not a name":"x"}', /name part must consist of/],
      ['postgresql.port=70000', /70000/],
    ])(
      'the fault in %s is reported by the API server, or by the chart before it',
      async (set, sentence) => {
        const values = CHART_VALUES['all on'] as string[];
        const attempt = async () => {
          for (const resource of (await chart.render(
            values,
            set,
          )) as unknown as KubernetesObject[]) {
            await server.client.applyDry(resource, NAMESPACE);
          }
        };
        expect(await refusalOf(attempt())).toMatch(sentence);
      },
    );
  },
);

interface Scale {
  spec: { replicas: number };
}

interface PodToCreate {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Record<string, string> };
  spec: PodSpec;
}

/** Returns the pod that the controller of a StatefulSet would create: claims become volumes of the pod. */
function podSpecOf(template: PodSpec): PodSpec {
  const spec = structuredClone(template);
  const mounted = spec.containers.flatMap(({ volumeMounts }) =>
    volumeMounts.map(({ name }) => name),
  );
  for (const name of new Set(mounted)) {
    if (!spec.volumes.some((volume) => volume.name === name)) {
      spec.volumes.push({ name, emptyDir: {} } as PodSpec['volumes'][number]);
    }
  }
  return spec;
}
