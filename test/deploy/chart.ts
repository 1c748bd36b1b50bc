import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { loadAll } from 'js-yaml';

export const CHART = 'deploy/helm/domain-data-service';
export const RELEASE = 'shop';
const OUTPUT_MAX_BYTES = 16 * 1024 * 1024;

export interface Peer {
  ipBlock?: { cidr: string; except?: string[] };
  podSelector?: { matchLabels?: Record<string, string> };
}

export interface PolicyRule {
  to?: Peer[];
  from?: Peer[];
  ports: { protocol: string; port: number }[];
}

export interface Container {
  name: string;
  image: string;
  args: string[];
  env: { name: string; value: string; valueFrom?: object }[];
  ports?: { name: string; containerPort: number }[];
  securityContext: Record<string, unknown>;
  resources: { requests: Record<string, string>; limits: Record<string, string> };
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
}

export interface PodSpec {
  serviceAccountName?: string;
  priorityClassName?: string;
  nodeSelector?: Record<string, string>;
  securityContext: Record<string, unknown>;
  terminationGracePeriodSeconds: number;
  topologySpreadConstraints: { topologyKey: string }[];
  containers: Container[];
  initContainers?: Container[];
  volumes: {
    name: string;
    secret?: { secretName: string; items: { key: string; path: string }[] };
    projected?: {
      sources: {
        secret?: { name: string; items: { key: string; path: string }[]; optional?: boolean };
      }[];
    };
  }[];
}

export interface Resource {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Record<string, string>; annotations?: Record<string, string> };
  spec: {
    replicas?: number;
    template: { metadata: { labels: Record<string, string> }; spec: PodSpec };
    podSelector: { matchLabels: Record<string, string> };
    selector: { matchLabels: Record<string, string> };
    ingress?: PolicyRule[];
    egress?: PolicyRule[];
    [field: string]: unknown;
  };
}

export interface Destination {
  kubeconfig: string;
  namespace: string;
}

/** Calls Helm. Except for `refusal`, the methods throw an error with Helm's message if it fails. */
export class Chart {
  constructor(private readonly helm: string) {}

  /** @param values files within the chart; later ones override earlier ones. */
  async render(values: string[], ...sets: string[]): Promise<Resource[]> {
    return loadAll(await this.text(values, ...sets)).filter(Boolean) as Resource[];
  }

  async text(values: string[], ...sets: string[]): Promise<string> {
    return this.run('template', RELEASE, CHART, ...optionsOf(values, sets));
  }

  async lint(values: string[], ...sets: string[]): Promise<string> {
    return this.run('lint', '--strict', CHART, ...optionsOf(values, sets));
  }

  /** Installs or upgrades without waiting, because nothing becomes ready without controllers. */
  async store(
    by: 'install' | 'upgrade',
    to: Destination,
    values: string[],
    ...sets: string[]
  ): Promise<string> {
    return this.run(by, RELEASE, CHART, ...placeOf(to), '--no-hooks', ...optionsOf(values, sets));
  }

  /** Rolls back to an earlier revision, without waiting. */
  async restore(to: Destination, revision: number, ...options: string[]): Promise<string> {
    return this.run(
      'rollback',
      RELEASE,
      String(revision),
      ...placeOf(to),
      '--no-hooks',
      ...options,
    );
  }

  /** Runs all checks of an installation that need an API server, without changing anything. */
  async installDry(to: Destination, values: string[], ...sets: string[]): Promise<string> {
    const options = ['--dry-run=server', ...placeOf(to), ...optionsOf(values, sets)];
    return this.run('install', RELEASE, CHART, ...options);
  }

  /** Returns Helm's message about values that it rejects, or an empty string if it accepts them. */
  async refusal(values: string[], ...sets: string[]): Promise<string> {
    return this.text(values, ...sets).then(
      () => '',
      (error: { stderr: string }) => error.stderr,
    );
  }

  private async run(...args: string[]): Promise<string> {
    // Without garbage collection, Helm needs a fifth less CPU time, and it exits before its memory matters.
    const env = { ...process.env, GOGC: 'off' };
    const options = { env, maxBuffer: OUTPUT_MAX_BYTES };
    const { stdout } = await promisify(execFile)(this.helm, args, options);
    return stdout;
  }
}

const placeOf = ({ kubeconfig, namespace }: Destination) => [
  '--kubeconfig',
  kubeconfig,
  '--namespace',
  namespace,
];
const optionsOf = (values: string[], sets: string[]) => [
  ...values.flatMap((file) => ['--values', `${CHART}/${file}`]),
  ...sets.flatMap((set) => ['--set-json', set]),
];

export const workloadsOf = (resources: Resource[]) =>
  resources.filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job'].includes(kind));

/** Returns the service whose pods the resource creates or protects, or an empty string if there is none. */
export const componentOf = ({ metadata, spec }: Resource) =>
  spec.template?.metadata.labels['app.kubernetes.io/component'] ??
  metadata.labels['app.kubernetes.io/component'] ??
  '';

export const containersOf = ({ initContainers = [], containers }: PodSpec) => [
  ...initContainers,
  ...containers,
];
