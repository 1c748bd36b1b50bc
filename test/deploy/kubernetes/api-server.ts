import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '#libs/platform';
import { waitFor } from '#test/environment';
import {
  type OwnCertificate,
  makeOwnCertificate,
} from '../../environment/servers/own-certificate.js';
import type { ApiServerPrograms } from '../tools/programs.js';
import { Daemon } from '../../../apps/simulators/src/dns/daemon.js';
import { KubernetesClient, type KubernetesObject } from './kubernetes-client.js';

const READY_LIMIT_MS = 180_000;
const RSA_BITS = 2048;

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Defined {
  status?: { conditions?: { type: string; status: string }[] };
}

/** A real Kubernetes API server on loopback with its own store, but without controllers. */
export class ApiServer {
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
