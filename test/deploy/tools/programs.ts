import { spawnSync } from 'node:child_process';
import { type GoProgram, areBuilt, goAvailability, goProgram } from './go-program.js';

const CHART_TOOLS = {
  helm: { name: 'helm', module: 'helm.sh/helm/v4', version: 'v4.2.4', folder: 'cmd/helm' },
} as const satisfies Record<string, GoProgram>;

const COMPOSE_CONFIG: GoProgram = {
  name: 'compose-config',
  module: 'github.com/compose-spec/compose-go/v2',
  version: 'v2.16.2',
  folder: '',
  source: 'test/deploy/tools/compose-config.go',
};

const S3_SERVER: GoProgram = {
  name: 'versitygw',
  module: 'github.com/versity/versitygw',
  version: 'v1.8.0',
  folder: 'cmd/versitygw',
};

const API_SERVER = {
  etcd: { name: 'etcd', module: 'go.etcd.io/etcd/server/v3', version: 'v3.6.8', folder: '' },
  apiServer: {
    name: 'kube-apiserver',
    module: 'k8s.io/kubernetes',
    version: 'v1.36.1',
    folder: 'cmd/kube-apiserver',
    publishedAs: 'v0.36.1',
    variables: {
      'k8s.io/component-base/version.gitVersion': 'v1.36.1',
      'k8s.io/component-base/version.gitMajor': '1',
      'k8s.io/component-base/version.gitMinor': '36',
    },
  },
} as const satisfies Record<string, GoProgram>;

type Paths<P> = { [name in keyof P]: string };

export type ApiServerPrograms = Paths<typeof API_SERVER>;

export const chartToolsAvailability = () => goAvailability(Object.values(CHART_TOOLS));
/** Building a server takes minutes, so only `prepare-tools.js` and CI do so. */
export const apiServerAvailability = () =>
  process.env.CI === 'true' || areBuilt(Object.values(API_SERVER))
    ? goAvailability(Object.values(API_SERVER))
    : 'no Kubernetes API server (node dist/test/deploy/tools/prepare-tools.js builds it)';
export const composeAvailability = () => goAvailability([COMPOSE_CONFIG]);
export const s3ServerAvailability = () => goAvailability([S3_SERVER]);

/** @returns undefined if rules can be tested on this machine, and otherwise the reason why not. */
export function promtoolAvailability(): string | undefined {
  const { status } = spawnSync('promtool', ['--version'], { stdio: 'ignore' });
  return status === 0 ? undefined : 'no promtool on this machine';
}

export const composeConfig = () => goProgram(COMPOSE_CONFIG);
export const s3Server = () => goProgram(S3_SERVER);
export const chartTools = () => built(CHART_TOOLS);
export const apiServerPrograms = () => built(API_SERVER);

async function built<P extends Record<string, GoProgram>>(programs: P): Promise<Paths<P>> {
  const paths: Record<string, string> = {};
  // The builds run one after another, because each uses every core.
  for (const [name, program] of Object.entries(programs)) paths[name] = await goProgram(program);
  return paths as Paths<P>;
}
