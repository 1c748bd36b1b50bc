import { readFileSync, globSync } from 'node:fs';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CHART, Chart } from './chart.js';
import { CHART_VALUES } from './chart-values.js';
import { chartTools, chartToolsAvailability } from './tools/programs.js';

/** The time limit is long, because the tools are built first if this machine does not have them. */
jest.setTimeout(1_900_000);

/** Changes to the example with bundled servers, each with the expected message. */
const REFUSED_BROUGHT_ALONG: readonly [set: string, sentence: string][] = [
  ['kafka.saslMechanism="plain"', 'kafka.saslMechanism is for an existing broker'],
  ['postgresql.cluster.backup.destination="bucket/dds"', 'destination is "bucket/dds": set it to'],
  ['postgresql.cluster.backup.endpoint="s3.example.org"', 'endpoint is "s3.example.org": write it'],
  ['postgresql.cluster.backup.retention="30"', 'retention is "30": write days, weeks or months'],
  ['postgresql.cluster.backup.schedule="30 2 * * *"', 'CloudNativePG expects six fields'],
  [
    'postgresql.cluster.recovery.server="shop-dds-postgres"',
    'from which the cluster is restored: name a new',
  ],
  [
    'postgresql.cluster={"backup":{"enabled":false},"recovery":{"server":"old"}}',
    'postgresql.cluster.recovery.server needs postgresql.cluster.backup',
  ],
  ['postgresql.cluster.recovery.until="2026-11-23"', 'recovery.until has no effect without'],
  [
    'postgresql.cluster.recovery.until="2026-11-23"',
    'recovery.until is "2026-11-23": write a time',
  ],
  ['postgresql.cluster.enabled=false', 'postgresql.cluster.backup is on without'],
];

/** Changes to the example with all options, each with the expected message. */
const REFUSED: readonly [set: string, sentence: string][] = [
  ['hosts.api=""', 'hosts.api is empty: set it to the public host name of the API'],
  ['secrets.name=""', 'secrets.name is empty: set it to the Secret'],
  ['image.tag="latest"', 'image.tag is latest, which is not a version'],
  ['hosts.dashboard="api.example.org"', 'hosts.api and hosts.dashboard are the same'],
  ['hosts.api="https://api.example.org"', 'is "https://api.example.org": write a host name'],
  ['kafka.brokers=[]', 'kafka.brokers is empty: name brokers as host:port'],
  ['kafka.tls=false', 'kafka.ca.secret has no effect without kafka.tls'],
  ['internalTls.by="secrets"', 'internalTls.secretPrefix is empty: set it to the prefix before'],
  ['internalTls.secretPrefix="dds-"', 'internalTls.secretPrefix has no effect unless'],
  ['internalTls.by="me"', "at '/internalTls/by'"],
  ['valkey.instance.enabled=true', 'valkey.instance.enabled needs valkey.fromSecret, port 6379'],
  ['settings={"INTERNAL_TLS_FOLDER":"/x"}', 'settings.INTERNAL_TLS_FOLDER is set by the chart'],
  ['kafka.strimzi.enabled=true', 'kafka.brokers and kafka.strimzi.enabled contradict each other'],
  ['valkey.url="redis://valkey:6379"', 'valkey.url and valkey.fromSecret contradict'],
  ['valkey.url="redis://:word@valkey:6379"', 'a URL with a password belongs in the Secret'],
  ['valkey.fromSecret=false', 'no Valkey through which they can share counters'],
  ['trustedProxies=[]', 'trustedProxies is empty: set it to the addresses'],
  ['ingress.tlsSecret=""', 'ingress.tlsSecret is empty: name the Secret'],
  ['httpRoute.parentRefs=[]', 'httpRoute.parentRefs is empty: name the Gateway'],
  ['networkPolicy.door=[]', 'networkPolicy.door is empty, which would allow every address'],
  ['networkPolicy.clusterRanges=[]', 'networkPolicy.clusterRanges is empty'],
  [
    'bindAddress="10.0.0.1"',
    'bindAddress is "10.0.0.1": write 0.0.0.0, or :: in a cluster with IPv6',
  ],
  ['secrets.items={"pepper":{"secret":"x"}}', 'secrets.items.pepper is not a known secret'],
  ['namespaceOverride="My_Space"', '"My_Space" is not a valid name in Kubernetes'],
  ['services.lookup.service.type="NodePort"', 'is NodePort, but the service has no public port'],
  [
    'services.lookup.serviceAccount.annotations={"a":"b"}',
    'have no effect without services.lookup',
  ],
  [
    'services.lookup.extraEnv=[{"name":"LOG_LEVEL","value":"x"}]',
    'contains LOG_LEVEL, a setting of the',
  ],
  ['monitoring.podMonitor=true', 'would both scrape every pod: turn one off'],
  ['image.repository="shop:1"', 'image.repository is "shop:1": write a name without a tag'],
  ['image.tag="with space"', 'image.tag is "with space": write a tag'],
  ['hosts.callbacks="callbacks"', 'hosts.callbacks is "callbacks": write a host name'],
  [
    'hosts.dashboard="app.example.org:8443"',
    'hosts.dashboard is "app.example.org:8443": write a host',
  ],
  ['trustedProxies=["ingress"]', 'trustedProxies is "ingress": write IP addresses or CIDR blocks'],
  ['kafka.brokers=["kafka.example.org"]', 'kafka.brokers is "kafka.example.org": write host:port'],
  ['kafka.saslMechanism="gssapi"', 'must be one of'],
  ['kafka.prefix="dds/"', 'kafka.prefix is "dds/": write letters, digits'],
  ['valkey.url="valkey:6379"', 'valkey.url is "valkey:6379": write redis://host:6379'],
  [
    'valkey.instance.image="valkey"',
    'valkey.instance.image is "valkey": write an image with its tag',
  ],
  ['telemetry.otlpEndpoint="otel:4318"', 'telemetry.otlpEndpoint is "otel:4318": write a URL'],
  ['internalTls.secretPrefix="TLS_"', 'internalTls.secretPrefix is "TLS_": write lower case'],
  ['postgresql.cluster.storage="20"', 'postgresql.cluster.storage is "20": write a size'],
  ['kafka.strimzi.storage="20GB"', 'kafka.strimzi.storage is "20GB": write a size'],
  ['services.account.volume.size="1G"', 'services.account.volume.size is "1G": write a size'],
  ['defaults.nodeOptions=["max"]', 'defaults.nodeOptions is "max": write options for Node'],
  ['services.lookup.settings={"log level":"x"}', 'services.lookup.settings is "log level": write'],
  [
    'networkPolicy.clusterRanges=["inside"]',
    'networkPolicy.clusterRanges is "inside": write CIDR blocks',
  ],
  [
    'services.gateway.resources.requests.memory="2Gi"',
    'requests 2Gi of memory, but the limit is 768Mi',
  ],
  ['migration.resources.requests.memory="1Gi"', 'migration.resources requests 1Gi of memory'],
  ['valkey.instance.resources.limits.cpu="10m"', 'valkey.instance.resources requests 50m of cpu'],
  ['services.billing.resources.limits.cpu=0.05', 'services.billing.resources requests 100m of cpu'],
  ['services.corpus.resources.requests.cpu="much"', 'requests.cpu is "much": write a quantity'],
  [
    'services.worker.settings={"FILES_LOCATION":"/var/lib/domain-data/files"}',
    'services.worker has several replicas and settings.FILES_LOCATION is a folder',
  ],
  [
    'services.worker={"replicas":1,"settings":{"FILES_LOCATION":"/tmp/files"},"volume":{"size":"1Gi"}}',
    'services.worker.settings.FILES_LOCATION needs a disk: set it to s3://bucket/prefix, or',
  ],
  [
    'services.worker={"replicas":1,"volume":{"size":""}}',
    'services.worker.settings.FILES_LOCATION needs a disk: set it to s3://bucket/prefix, or',
  ],
  ['services.worker.resources.limits.memory="1 Gi"', 'limits.memory is "1 Gi": write a quantity'],
  ['defaults.resources.requests.cpu=null', 'services.gateway.resources.requests.cpu is empty, but'],
  ['defaults.resources.limits.memory=null', "at '/defaults/resources/limits': missing property"],
  ['services.gateway.replicas=0', "at '/services/gateway/replicas': minimum: got 0, want 1"],
  ['services.gateway.replicas=65', "at '/services/gateway/replicas': maximum: got 65, want 64"],
  ['services.gateway.autoscaling.cpuPercent=100', 'maximum: got 100, want 95'],
  ['postgresql.port=70000', "at '/postgresql/port': maximum: got 70,000, want 65,535"],
  ['networkPolicy.dnsPorts=[]', "at '/networkPolicy/dnsPorts': minItems: got 0, want 1"],
  ['services.gateway.service.type="ExternalName"', "at '/services/gateway/service/type'"],
  ['networkPolicy.door=[{}]', "at '/networkPolicy/door/0': minProperties: got 0, want 1"],
  ['postgresql.maxConnections=50', 'postgresql.maxConnections is 50, but up to 123 connections'],
  [
    'services.gateway.ownDatabase.maxConnections=9',
    'ownDatabase.maxConnections is 9, but up to 69 connections',
  ],
  ['services.account.database.poolSize=1', "at '/services/account/database/poolSize': minimum"],
  ['settings={"DATABASE_POOL_SIZE":9}', 'settings.DATABASE_POOL_SIZE is set by the chart'],
  [
    'services.archive={}',
    'services.archive is not a service: the services are account, entitlement, billing',
  ],
  ['services.lookup.enabled=false', 'services.lookup.enabled is false: the product does not run'],
  [
    'services.lookup.ownDatabase.enabled=true',
    'services.lookup.ownDatabase is on, but the service stores',
  ],
  ['services.gateway.ownDatabase.peers=[]', 'services.gateway.ownDatabase.peers is empty, which'],
  ['services.gateway.ownDatabase.enabled=false', 'services.gateway.ownDatabase.ca.secret has no'],
  ['services.entitlement.autoscaling.enabled=true', 'both would set its replicas'],
  ['services.lookup.keda.load.query=""', 'the service consumes no events: use autoscaling, or set'],
  ['monitoring.prometheusUrl=""', 'services.lookup.keda queries Prometheus for its load: set'],
  ['monitoring.prometheusUrl="prometheus:9090"', 'is "prometheus:9090": write it as http://'],
  ['services.entitlement.keda.max=17', 'above 16, the number of partitions of a topic'],
  ['services.gateway.autoscaling.min=9', 'has a min that is higher than its max'],
  [
    'services.gateway.settings={"LOOKUP_BUDGET_MS":9}',
    'LOOKUP_BUDGET_MS is not read by the service',
  ],
  ['services.gateway.settings={"KEY_PEPPER":"word"}', 'KEY_PEPPER is a secret: put it into'],
  ['settings={"KEY_PEPPER":"word"}', 'settings.KEY_PEPPER is a secret: put it into the Secret'],
  ['settings={"BASE_URL":"http://x"}', 'settings.BASE_URL is set by the chart'],
  ['settings={"NO_SUCH":"1"}', 'no service reads settings.NO_SUCH'],
  ['services.account.volume.size=""', 'settings.AUDIT_ANCHORS needs a disk'],
  ['services.corpus.replicas=2', 'settings.CORPUS_SUPPRESSIONS is a list on the volume of one'],
  ['services.account.replicas=2', 'settings.ERASED_ACCOUNTS is a list on the volume of one'],
  ['surprise=1', "additional properties 'surprise' not allowed"],
  ['services.lookup.replicas="2"', "at '/services/lookup/replicas': got string, want integer"],
  [
    'hosts.dashboard=""',
    'hosts.dashboard is empty: set it to the public host name of the dashboard',
  ],
  ['mail.from=""', 'mail.from is empty: set it to the sender of every e-mail'],
  ['image.repository=""', 'image.repository is empty: set it to the registry path'],
  ['hosts.callbacks="api.example.org"', 'hosts.callbacks is the host name of the API'],
  [
    'ingress.annotations={"cert-manager.io/issuer":"letsencrypt"}',
    'cert-manager signs one certificate for each Ingress; set ingress.tlsSecretPerHost',
  ],
  ['cli.resources.requests.memory="1Gi"', 'cli.resources requests 1Gi of memory'],
  ['ingress.className=""', 'ingress.className is empty: name the IngressClass'],
  [
    'valkey.fromSecret=false',
    'valkey.ca.secret has no effect without valkey.url or valkey.fromSecret',
  ],
  ['postgresql.cluster.enabled=true', 'superuserSecret is empty: name a Secret of type'],
  ['postgresql.cluster.enabled=true', 'the cluster has its own certificate authority'],
  ['kafka.strimzi.enabled=true', 'kafka.ca.secret and kafka.prefix are for an existing broker'],
  [
    'kafka={"topicReplication":3,"strimzi":{"enabled":true,"replicas":1}}',
    'kafka.topicReplication is greater than kafka.strimzi.replicas',
  ],
];

/** The messages of the schema, which Helm checks before it renders the templates. */
const OF_SCHEMA = /^at '|^m(?:in|ax)imum: |^must be one of|^additional properties/;
const TOGETHER_MAX = 12;

/** Groups changes that do not affect one another, so that one run of Helm reports all of them. */
function batchesOf(cases: typeof REFUSED): (typeof REFUSED)[] {
  const batches: (typeof REFUSED)[] = [];
  const pathOf = (set: string) => `${set.slice(0, set.indexOf('='))}.`;
  for (const one of cases) {
    const fits = (batch: typeof REFUSED) =>
      batch.length < TOGETHER_MAX &&
      OF_SCHEMA.test(batch[0][1]) === OF_SCHEMA.test(one[1]) &&
      batch.every(([set]) => {
        const [path, other] = [pathOf(set), pathOf(one[0])];
        return !path.startsWith(other) && !other.startsWith(path);
      });
    const at = batches.findIndex(fits);
    if (at === -1) batches.push([one]);
    else batches[at] = [...batches[at], one];
  }
  return batches;
}

(chartToolsAvailability() === undefined ? describe : describe.skip)(
  'values that the chart rejects',
  () => {
    let chart: Chart;
    const said: string[] = [];
    const heard = new Map<string, string>();

    beforeAll(async () => {
      chart = new Chart((await chartTools()).helm);
      for (const [values, cases] of [
        ['all on', REFUSED],
        ['brought along', REFUSED_BROUGHT_ALONG],
      ] as const) {
        for (const batch of batchesOf(cases)) {
          const refusal = await chart.refusal(CHART_VALUES[values], ...batch.map(([set]) => set));
          for (const [set, sentence] of batch) heard.set(`${values} ${set} ${sentence}`, refusal);
        }
      }
    });

    async function expectRefusal(values: string, set: string, sentence: string): Promise<void> {
      let refusal = heard.get(`${values} ${set} ${sentence}`)!;
      if (!refusal.includes(sentence)) refusal = await chart.refusal(CHART_VALUES[values], set);
      said.push(refusal);
      expect(refusal).toContain(sentence);
    }

    it.each(REFUSED)('%s: %s', async (set, sentence) => expectRefusal('all on', set, sentence));

    it.each(REFUSED_BROUGHT_ALONG)('with bundled servers, %s: %s', async (set, sentence) =>
      expectRefusal('brought along', set, sentence),
    );

    it('without values, everything that is missing is reported at once, and no password has a default', async () => {
      const said = await chart.refusal([]);
      for (const needed of [
        'image.repository',
        'hosts.api',
        'secrets.name',
        'kafka.brokers',
        'mail.from',
      ]) {
        expect(said).toContain(`${needed} is empty`);
      }
      expect(readFileSync('deploy/helm/domain-data-service/values.yaml', 'utf8')).not.toMatch(
        /^\s*\w*password\w*: *\S/im,
      );
    });

    it('are numerous, and no message merely reports the mismatch of a regular expression', () => {
      const tried = [...REFUSED, ...REFUSED_BROUGHT_ALONG];
      expect(new Set(tried.map(([set]) => set)).size).toBeGreaterThan(60);
      expect(said.filter((sentence) => /does not match pattern|\[a-z/.test(sentence))).toEqual([]);
    });

    it('include every message of the templates', () => {
      const templates = globSync('templates/*.tpl', { cwd: CHART }).map((path) =>
        readFileSync(`${CHART}/${path}`, 'utf8'),
      );
      const sentences = [
        ...templates.join('').matchAll(/append \$faults \(?(?:printf )?"([^"]+)"/g),
      ];
      expect(sentences.length).toBeGreaterThan(30);
      const unheard = sentences
        .map(([, sentence]) => sentence)
        // This message can occur only in an existing installation.
        .filter((sentence) => !sentence.includes('cannot change the volumes of a StatefulSet'))
        .filter((sentence) => {
          const parts = sentence
            .split(/%[sdqv]/)
            .map((part) => part.replaceAll(/[.()*`]/g, '\\$&'));
          return !new RegExp(parts.join('.*')).test(said.join());
        });
      expect(unheard).toEqual([]);
    });
  },
);
