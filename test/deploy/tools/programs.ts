import { join } from 'node:path';
import { type GoProgram, areBuilt, goAvailability, goProgram, moduleFolder } from './go-program.js';

const KUBERNETES = {
  module: 'k8s.io/kubernetes',
  version: 'v1.36.1',
  publishedAs: 'v0.36.1',
  variables: {
    'k8s.io/component-base/version.gitVersion': 'v1.36.1',
    'k8s.io/component-base/version.gitMajor': '1',
    'k8s.io/component-base/version.gitMinor': '36',
  },
};

/** cert-manager: its controllers and definitions. */
export const CERT_MANAGER = { module: 'github.com/cert-manager/cert-manager', version: 'v1.20.0' };

/** Renders, checks and installs the chart. */
const CHART_TOOLS = {
  helm: { name: 'helm', module: 'helm.sh/helm/v4', version: 'v4.2.4', folder: 'cmd/helm' },
} as const satisfies Record<string, GoProgram>;

/** Compose's own parser. */
const COMPOSE_CONFIG: GoProgram = {
  name: 'compose-config',
  module: 'github.com/compose-spec/compose-go/v2',
  version: 'v2.16.2',
  folder: '',
  source: 'test/deploy/tools/compose-config.go',
};

/** An S3 server that keeps its objects in a folder. */
const S3_SERVER: GoProgram = {
  name: 'versitygw',
  module: 'github.com/versity/versitygw',
  version: 'v1.8.0',
  folder: 'cmd/versitygw',
};

/** The Kubernetes API server and its store. */
const API_SERVER = {
  etcd: { name: 'etcd', module: 'go.etcd.io/etcd/server/v3', version: 'v3.6.8', folder: '' },
  apiServer: { ...KUBERNETES, name: 'kube-apiserver', folder: 'cmd/kube-apiserver' },
} as const satisfies Record<string, GoProgram>;

/**
 * The controllers that create pods and assign them to nodes, the signer of certificates, and simulated nodes, which
 * only report each pod as running.
 */
const CONTROLLERS = {
  controllerManager: {
    ...KUBERNETES,
    name: 'kube-controller-manager',
    folder: 'cmd/kube-controller-manager',
  },
  scheduler: { ...KUBERNETES, name: 'kube-scheduler', folder: 'cmd/kube-scheduler' },
  certManager: {
    ...CERT_MANAGER,
    name: 'cert-manager',
    folder: '',
    source: 'test/deploy/tools/cert-manager.go',
  },
  kwok: { name: 'kwok', module: 'sigs.k8s.io/kwok', version: 'v0.8.0', folder: 'cmd/kwok' },
} as const satisfies Record<string, GoProgram>;

type Paths<P> = { [name in keyof P]: string };

export type ApiServerPrograms = Paths<typeof API_SERVER>;
export type Controllers = Paths<typeof CONTROLLERS>;

/** @returns undefined if a chart can be rendered and checked here, otherwise the reason why not. */
export const chartToolsAvailability = () => goAvailability(Object.values(CHART_TOOLS));
/**
 * @returns undefined if an API server can be started here, otherwise the reason why not. Building it takes minutes, so
 * only `prepare-tools.js` or CI does that.
 */
export const apiServerAvailability = () =>
  process.env.CI === 'true' || areBuilt(Object.values(API_SERVER))
    ? goAvailability(Object.values(API_SERVER))
    : 'no Kubernetes API server (node dist/test/deploy/tools/prepare-tools.js builds it)';
/** @returns undefined if the compose file can be read here as Compose reads it, otherwise the reason why not. */
export const composeAvailability = () => goAvailability([COMPOSE_CONFIG]);
/** @returns undefined if a cluster can be simulated here, otherwise the reason why not. */
export const controllersAvailability = () => goAvailability(Object.values(CONTROLLERS));

/** @returns undefined if a real S3 server can be started here, otherwise the reason why not. */
export const s3ServerAvailability = () => goAvailability([S3_SERVER]);

export const composeConfig = () => goProgram(COMPOSE_CONFIG);
export const s3Server = () => goProgram(S3_SERVER);
export const chartTools = () => built(CHART_TOOLS);
export const apiServerPrograms = () => built(API_SERVER);
export const controllers = () => built(CONTROLLERS);

/** Files that tell simulated nodes how a node and its pods change state. */
export async function simulatedStages(): Promise<string[]> {
  const folder = join(await moduleFolder(CONTROLLERS.kwok), 'kustomize/stage');
  return [
    'node/fast/node-initialize.yaml',
    'node/heartbeat-with-lease/node-heartbeat-with-lease.yaml',
    'pod/fast/pod-ready.yaml',
    'pod/fast/pod-complete.yaml',
    'pod/fast/pod-delete.yaml',
  ].map((file) => join(folder, file));
}

async function built<P extends Record<string, GoProgram>>(programs: P): Promise<Paths<P>> {
  const paths: Record<string, string> = {};
  // One after another, because each build uses every core.
  for (const [name, program] of Object.entries(programs)) paths[name] = await goProgram(program);
  return paths as Paths<P>;
}
