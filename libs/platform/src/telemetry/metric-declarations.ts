export type MetricType = 'counter' | 'gauge' | 'histogram';

/** One metric as shown by Prometheus and `docs/operations/metrics.md`. */
export interface MetricDeclaration {
  /** The metric's name, `dds_<part>_<what>_<unit>`; counters end in `_total` (Prometheus' naming practices). */
  name: string;
  type: MetricType;
  about: string;
  /** Names of the labels. Their values come from closed sets: never a key, an address or an id. */
  labels: readonly string[];
  /** Upper bounds of a histogram, in the metric's unit. */
  buckets: readonly number[];
}

interface MetricDetails {
  labels?: readonly string[];
}

const declared = new Map<string, MetricDeclaration>();

/** Returns the metrics of all modules loaded so far, sorted by name. */
export function declaredMetrics(): MetricDeclaration[] {
  return [...declared.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Declares a metric that never decreases while the process runs. */
export function declareCounter(
  name: string,
  about: string,
  details: MetricDetails = {},
): MetricDeclaration {
  return declare({ name, about, type: 'counter', ...details });
}

/** Declares a metric that can rise and fall. */
export function declareGauge(
  name: string,
  about: string,
  details: MetricDetails = {},
): MetricDeclaration {
  return declare({ name, about, type: 'gauge', ...details });
}

/** Declares a metric that counts the values up to each of `buckets` (ascending upper bounds). */
export function declareHistogram(
  name: string,
  about: string,
  details: { buckets: readonly number[]; labels?: readonly string[] },
): MetricDeclaration {
  return declare({ name, about, type: 'histogram', ...details });
}

function declare(
  metric: Pick<MetricDeclaration, 'name' | 'about' | 'type'> & Partial<MetricDeclaration>,
): MetricDeclaration {
  const declaration = {
    labels: [],
    buckets: [],
    ...metric,
  };
  declared.set(declaration.name, declaration);
  return declaration;
}
