import { copyFileSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { load, loadAll } from 'js-yaml';
import { freePorts } from '#libs/platform';
import { waitFor } from '#test/environment';
import { moduleFolder } from '../tools/go-program.js';
import { OPERATOR_FILES, type Operators, operator } from '../tools/programs.js';
import type { ApiServer } from './api-server.js';
import { type CustomResourceDefinition, customDefinitions } from './custom-definitions.js';
import type { Daemon } from './daemon.js';
import type { KubernetesObject } from './kubernetes-client.js';

const READY_LIMIT_MS = 300_000;
const OFF = '0';

interface WebhookConfiguration extends KubernetesObject {
  webhooks: { clientConfig: { service?: { path: string }; [field: string]: unknown } }[];
}

/** The operators' own programs on an API server, each with what its installation tells the server. */
export class ClusterOperators {
  constructor(private readonly server: ApiServer) {}

  /** Has the server know every kind of theirs, and the chart's others. */
  async define(): Promise<void> {
    const definitions = new Map<string, CustomResourceDefinition>();
    for (const one of await customDefinitions()) definitions.set(one.metadata.name, one);
    for (const { definitions: path, ...module } of OPERATOR_FILES) {
      const folder = await moduleFolder(module);
      for (const file of globSync(path, { cwd: folder })) {
        const one = load(readFileSync(join(folder, file), 'utf8')) as CustomResourceDefinition;
        definitions.set(one.metadata.name, one);
      }
    }
    await this.server.define([...definitions.values()]);
  }

  /** It makes a scrape configuration and rule files for each Prometheus. */
  async startPrometheusOperator(): Promise<Daemon> {
    const [port] = await freePorts(1);
    return this.run('prometheusOperator', [
      `--web.listen-address=127.0.0.1:${port}`,
      '--kubelet-endpoints=false',
    ]);
  }

  /** It fills in and judges each Cluster, and makes what belongs to one. */
  async startCloudNativePg(): Promise<Daemon> {
    const [port] = await freePorts(1);
    const folder = this.certificateFolder('cloudnative-pg', 'apiserver');
    // The copies of itself that it hands to the pods, by processor; it takes those it finds where it runs.
    const copies = join(this.server.folder, 'operator');
    mkdirSync(copies);
    symlinkSync(
      await operator('cloudNativePg'),
      join(copies, `manager_${process.arch === 'x64' ? 'amd64' : process.arch}`),
    );
    const args = ['controller', `--webhook-port=${port}`, `--metrics-bind-address=${OFF}`];
    const daemon = await this.run('cloudNativePg', args, {
      WEBHOOK_CERT_DIR: folder,
      OPERATOR_NAMESPACE: 'default',
    });
    await this.askAt(port, 'cloudnative-pg', daemon);
    return daemon;
  }

  /** It judges each ScaledObject and TriggerAuthentication. */
  async startKedaWebhooks(): Promise<Daemon> {
    const [port] = await freePorts(1);
    const folder = this.certificateFolder('keda-webhooks', 'tls');
    const args = [`--cert-dir=${folder}`, `--port=${port}`, ...this.unwatched];
    const daemon = await this.run('kedaWebhooks', args, { WATCH_NAMESPACE: '' });
    await this.askAt(port, 'keda', daemon);
    return daemon;
  }

  private readonly unwatched = [
    `--metrics-bind-address=${OFF}`,
    `--health-probe-bind-address=${OFF}`,
  ];

  private async run(
    name: keyof Operators,
    args: string[],
    environment: Record<string, string> = {},
  ): Promise<Daemon> {
    const KUBECONFIG = this.server.kubeconfig;
    const surroundings = { environment: { ...environment, KUBECONFIG }, cwd: this.server.folder };
    return this.server.run(name, await operator(name), args, surroundings);
  }

  /** A folder with the server's own certificate, which is good for loopback, under the names that a program expects. */
  private certificateFolder(name: string, files: string): string {
    const folder = join(this.server.folder, `${name}-certificate`);
    mkdirSync(folder, { mode: 0o700 });
    copyFileSync(this.server.authorityFile, join(folder, `${files}.crt`));
    copyFileSync(this.server.keyFile, join(folder, `${files}.key`));
    return folder;
  }

  /** Has the server ask the program before it stores, as the operator's installation has it; resolves when it does. */
  private async askAt(port: number, name: string, daemon: Daemon): Promise<void> {
    const files = OPERATOR_FILES.find(({ module }) => module.includes(`/${name}`));
    const path = join(await moduleFolder(files!), files!.webhooks as string);
    const caBundle = readFileSync(this.server.authorityFile).toString('base64');
    for (const one of loadAll(readFileSync(path, 'utf8')) as WebhookConfiguration[]) {
      for (const webhook of one.webhooks) {
        const url = `https://127.0.0.1:${port}${webhook.clientConfig.service?.path}`;
        webhook.clientConfig = { url, caBundle };
        // Where nobody answers, nothing is stored.
        Object.assign(webhook, { failurePolicy: 'Fail' });
      }
      one.metadata.name += `-${name}`;
      await this.server.client.apply(one, '');
    }
    const isListening = async () => {
      daemon.mustRun();
      return listens(port);
    };
    await waitFor(`${name} to listen`, isListening, READY_LIMIT_MS);
  }
}

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false)).once('connect', () => socket.destroy());
  });
