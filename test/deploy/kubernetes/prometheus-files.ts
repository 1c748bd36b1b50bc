import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { load } from 'js-yaml';
import { waitFor } from '#test/environment';
import { operator } from '../tools/programs.js';
import type { ApiServer } from './api-server.js';
import type { KubernetesObject } from './kubernetes-client.js';

const run = promisify(execFile);
const NAME = 'watch';
/** Which one it is to configure. */
const VERSION = 'v3.5.0';
const MADE_LIMIT_MS = 180_000;
const MOUNTED_RULES = '/etc/prometheus/rules';

/** What a Prometheus would scrape, as it finds it at the API server. */
export interface Target {
  service: string;
  /** Host and port. */
  address: string;
}

/** What the Prometheus operator writes for a Prometheus of a name space that takes every monitor and rule in it. */
export class PrometheusFiles {
  private constructor(
    private readonly folder: string,
    private readonly configFile: string,
    /** Rule files by name. */
    readonly rules: Record<string, string>,
  ) {}

  /** Asks for such a Prometheus; resolves when the operator has written its files. */
  static async of(server: ApiServer, namespace: string): Promise<PrometheusFiles> {
    await server.client.apply(prometheusOf(server), namespace);
    const path = `/api/v1/namespaces/${namespace}`;
    const config = await waitFor(
      'the configuration of Prometheus',
      async () => {
        const secrets = await server.client.list<KubernetesObject>(`${path}/secrets`);
        const secret = secrets.find(({ metadata }) => metadata.name === `prometheus-${NAME}`);
        const packed = (secret?.data as Record<string, string> | undefined)?.['prometheus.yaml.gz'];
        const text = packed && gunzipSync(Buffer.from(packed, 'base64')).toString();
        return text?.includes('serviceMonitor/') ? text : undefined;
      },
      MADE_LIMIT_MS,
    );
    const maps = await server.client.list<KubernetesObject>(`${path}/configmaps`);
    const [rules] = maps.filter(({ metadata }) => metadata.name.endsWith('-rulefiles-0'));
    const folder = mkdtempSync(join(server.folder, 'prometheus-'));
    mkdirSync(join(folder, 'rules'));
    const files = rules.data as Record<string, string>;
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(folder, 'rules', name), text);
    }
    const configFile = join(folder, 'prometheus.yaml');
    const mounted = `${MOUNTED_RULES}/${rules.metadata.name}`;
    // Within the pod the operator's reloader fills in which shard it is.
    const filled = config.replaceAll(mounted, join(folder, 'rules')).replaceAll('$(SHARD)', '0');
    writeFileSync(configFile, filled, { mode: 0o600 });
    return new PrometheusFiles(folder, configFile, files);
  }

  /** What promtool says of the rules. @throws when it takes them not. */
  async check(): Promise<string> {
    const files = Object.keys(this.rules).map((name) => join(this.folder, 'rules', name));
    const { stdout } = await run('promtool', ['check', 'rules', ...files]);
    return stdout;
  }

  /** Names of the alerts in the rule files. */
  get alerts(): string[] {
    return Object.values(this.rules).flatMap((text) =>
      (load(text) as RuleFile).groups.flatMap(({ rules }) =>
        rules.flatMap(({ alert }) => alert ?? []),
      ),
    );
  }

  /** Every target that a ServiceMonitor gives, as Prometheus' own code takes the configuration; nothing is asked of them. */
  async targets(monitor: string): Promise<Target[]> {
    const job = `serviceMonitor/${monitor}/0`;
    const { stdout } = await run(await operator('scrapeTargets'), [this.configFile, job]);
    return (JSON.parse(stdout) as Record<string, string>[]).map(
      ({ service, __address__: address }) => ({ service, address }),
    );
  }
}

interface RuleFile {
  groups: { rules: { alert?: string }[] }[];
}

const prometheusOf = (server: ApiServer): KubernetesObject => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'Prometheus',
  metadata: { name: NAME },
  spec: {
    version: VERSION,
    serviceMonitorSelector: {},
    ruleSelector: {},
    apiserverConfig: {
      host: server.origin,
      bearerToken: server.token,
      tlsConfig: { caFile: server.authorityFile },
    },
  },
});
