export type MetricType = 'counter' | 'gauge' | 'histogram';

/** One metric as shown by Prometheus and `docs/operations/metrics.md`. */
export interface MetricDeclaration {
  /** `dds_<part>_<what>_<unit>`, counters end in `_total` (Prometheus' naming practices). */
  name: string;
  type: MetricType;
  /** A sentence for the operator. */
  about: string;
  /** Names of the labels. Their values come from closed sets: never a key, an address or an id. */
  labels: readonly string[];
  /** Upper bounds of a histogram, in its unit. */
  buckets: readonly number[];
}

interface MetricDetails {
  labels?: readonly string[];
}

const declared = new Map<string, MetricDeclaration>();

/** The metrics of all modules loaded so far, by name. */
export function declaredMetrics(): MetricDeclaration[] {
  return [...declared.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A number that never decreases while the process runs. */
export function declareCounter(
  name: string,
  about: string,
  details: MetricDetails = {},
): MetricDeclaration {
  return declare({ name, about, type: 'counter', ...details });
}

/** A number that goes up and down. */
export function declareGauge(
  name: string,
  about: string,
  details: MetricDetails = {},
): MetricDeclaration {
  return declare({ name, about, type: 'gauge', ...details });
}

/** Counts the values under each of `buckets` (ascending upper bounds). */
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
