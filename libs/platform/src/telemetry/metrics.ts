import {
  AggregatorRegistry,
  Counter,
  Histogram,
  type Metric,
  Registry,
  collectDefaultMetrics,
} from 'prom-client';
import { type MetricDeclaration, declareCounter } from './metric-declarations.js';

export type Labels = Record<string, string>;

/**
 * A number, or the contents of a histogram: the number of values in each bucket (the last bucket contains the values
 * above every bound) and their sum.
 */
export type Reading = number | { counts: ArrayLike<number>; sum: number };

export type TakeReading = (metric: MetricDeclaration, reading: Reading, labels?: Labels) => void;

export interface MetricSource {
  /** The name of the source, reported if it fails. */
  name: string;
  read(take: TakeReading): void | Promise<void>;
}

interface Sample {
  labels: Labels;
  value: number;
  metricName?: string;
}

/** The time limit of a source, which may query a database: a scrape must end even if the database does not answer. */
const READ_LIMIT_MS = 3_000;

const FAILED_READS = declareCounter(
  'dds_metrics_failed_reads_total',
  'Scrapes in which a source of metrics could not be read, so that its values are missing.',
  { labels: ['source'] },
);

/**
 * The metrics of one service. Rare events are counted here (`counter`, `histogram`); code on a hot path counts events
 * in plain numbers, which a source reads at each scrape.
 */
export class Metrics {
  static readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  private readonly registry = new Registry();
  private readonly sources: MetricSource[] = [];
  private underWay?: Promise<object[]>;
  private isProcessDue: boolean;

  /** `process: false` omits the measurements of the process itself. */
  constructor({ process = true }: { process?: boolean } = {}) {
    this.isProcessDue = process;
  }

  /**
   * Returns the counter of this name, which is created by the first call.
   * @throws Error if the name belongs to a metric that is not a counter.
   */
  counter(declaration: MetricDeclaration): Counter {
    return this.known(declaration, Counter) ?? new Counter(this.configurationOf(declaration));
  }

  histogram(declaration: MetricDeclaration): Histogram {
    const known = this.known(declaration, Histogram);
    if (known) return known;
    const buckets = [...declaration.buckets];
    return new Histogram({ ...this.configurationOf(declaration), buckets });
  }

  addSource(source: MetricSource): void {
    this.sources.push(source);
  }

  /** Returns the answer to a scrape, in Prometheus' text format 0.0.4. */
  text(): Promise<string> {
    return Metrics.textOf([this]);
  }

  /** Returns the metrics of several services that share a process; the process's own numbers appear once. */
  static async textOf([first, ...others]: Metrics[]): Promise<string> {
    const whole = await first.snapshot();
    const own = others.map(async (service) => (await service.snapshot()).filter(isOwn));
    return AggregatorRegistry.aggregate([whole, ...(await Promise.all(own))]).metrics();
  }

  /** Takes a snapshot of all metrics; simultaneous scrapes share one. */
  private snapshot(): Promise<object[]> {
    this.underWay ??= this.gather().finally(() => (this.underWay = undefined));
    return this.underWay;
  }

  private async gather(): Promise<object[]> {
    if (this.isProcessDue) {
      // Monitoring of the event loop and the garbage collector begins with the first scrape, so it costs nothing
      // without scrapes.
      this.isProcessDue = false;
      collectDefaultMetrics({ register: this.registry });
    }
    const readings = await Promise.all(this.sources.map((source) => this.read(source)));
    const read = new Map<MetricDeclaration, Sample[]>();
    for (const [declaration, sample] of readings.flat()) {
      const samples = read.get(declaration);
      if (samples) samples.push(sample);
      else read.set(declaration, [sample]);
    }
    const counted = await this.registry.getMetricsAsJSON();
    const metrics = [...read].map(([declaration, values]) => asMetric(declaration, values));
    return [...counted, ...metrics];
  }

  private async read(source: MetricSource): Promise<[MetricDeclaration, Sample][]> {
    const samples: [MetricDeclaration, Sample][] = [];
    const take: TakeReading = (metric, reading, labels = {}) => {
      for (const sample of samplesOf(metric, reading, labels)) samples.push([metric, sample]);
    };
    try {
      await withinLimit(Promise.resolve(source.read(take)));
      return samples.slice();
    } catch {
      this.counter(FAILED_READS).inc({ source: source.name });
      return [];
    }
  }

  private known<T extends Metric>(
    { name }: MetricDeclaration,
    type: new (...parameters: never[]) => T,
  ): T | undefined {
    const known = this.registry.getSingleMetric(name);
    return known instanceof type ? known : undefined;
  }

  private configurationOf({ name, about, labels }: MetricDeclaration) {
    return { name, help: about, labelNames: [...labels], registers: [this.registry] };
  }
}

/** Whether a metric belongs to the product, not to the library's measurements of the process. */
function isOwn(metric: object): boolean {
  return (metric as { name: string }).name.startsWith('dds_');
}

function samplesOf(metric: MetricDeclaration, reading: Reading, labels: Labels): Sample[] {
  if (typeof reading === 'number') return [{ labels, value: reading }];
  let total = 0;
  const buckets = Array.from(reading.counts, (count, index) => {
    total += count;
    const le = String(metric.buckets[index] ?? '+Inf');
    return { labels: { ...labels, le }, value: total, metricName: `${metric.name}_bucket` };
  });
  return [
    ...buckets,
    { labels, value: reading.sum, metricName: `${metric.name}_sum` },
    { labels, value: total, metricName: `${metric.name}_count` },
  ];
}

function asMetric({ name, about, type }: MetricDeclaration, values: Sample[]): object {
  return { name, help: about, type, values, aggregator: 'sum' };
}

async function withinLimit(work: Promise<void>): Promise<void> {
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(() => limit.reject(new Error('took too long')), READ_LIMIT_MS);
  try {
    await Promise.race([work, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}
