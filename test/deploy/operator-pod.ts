import { readFileSync } from 'node:fs';
import { exampleWords } from '../../apps/cli/src/manual.js';
import { SERVICES } from '../../apps/services.js';
import { type Chart, RELEASE, componentOf } from './chart.js';
import { type Pod, chartPlan } from './chart-plan.js';
import { CHART_VALUES } from './chart-values.js';
import type { DeploymentPlan } from './deployment-plan.js';
import type { ImageDeployment } from './image-deployment.js';

/** Of the examples in the manual: subjects by the names that they have in a deployment. */
type Subjects = Readonly<Record<string, string>>;

export interface CommandEnd {
  code: number | string | null;
  /** Of both streams. */
  output: string;
}

/** A deployment, and beside it the pod for operator commands as the chart describes it for one without TLS. */
export async function withOperatorPod(chart: Chart, plan: DeploymentPlan): Promise<DeploymentPlan> {
  const resources = await chart.render(
    CHART_VALUES['all off'] as string[],
    'kafka.brokers=["kafka:9092"]',
    'services.billing.enabled=true',
    'cli.superuser=true',
  );
  const { metadata, spec } = resources.find(
    (one) => one.kind === 'Deployment' && componentOf(one) === 'cli',
  )!;
  const pod: Pod = {
    metadata: { name: metadata.name, labels: spec.template.metadata.labels },
    spec: spec.template.spec,
  };
  const pods = chartPlan({ pods: [pod], services: {} });
  const aliases = SERVICES.filter(({ name }) => plan.names.includes(name)).map(({ name }) => [
    `${RELEASE}-dds-${name}`,
    name,
  ]);
  return {
    ...plan,
    names: [...plan.names, ...pods.names],
    aliases: { ...plan.aliases, ...Object.fromEntries(aliases) },
    containers: (secretFolder, origins) => [
      ...plan.containers(secretFolder, origins),
      ...pods.containers(secretFolder, origins),
    ],
  };
}

/** Runs every example of the manual from the pod for operator commands, in its order. @returns how each ended, by its words. */
export async function runManual(
  deployment: ImageDeployment,
  subjects: Subjects,
): Promise<Record<string, CommandEnd>> {
  const manual = readFileSync('docs/operations/command-line.md', 'utf8');
  const ends: Record<string, CommandEnd> = {};
  for (const [, example] of manual.matchAll(/^npm run cli -- (.+)$/gm)) {
    const words = exampleWords(example).map((word) => subjects[word] ?? word);
    ends[example] = await deployment.command(words);
  }
  return ends;
}
