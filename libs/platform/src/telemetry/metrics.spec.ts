import { describe, expect, it } from '@jest/globals';
import {
  declareCounter,
  declareGauge,
  declareHistogram,
  declaredMetrics,
} from './metric-declarations.js';
import { Metrics } from './metrics.js';

const DONE = declareCounter('test_done_total', 'Done.', { labels: ['kind'] });
const WAITING = declareGauge('test_waiting', 'Waiting.');
const TOOK = declareHistogram('test_took_seconds', 'Took.', { buckets: [0.1, 1] });

const sampleLines = (text: string) => text.split('\n').filter((line) => line.startsWith('test_'));

describe('metrics', () => {
  it('counters and values read from a source appear in one text', async () => {
    const metrics = new Metrics({ process: false });
    metrics.counter(DONE).inc({ kind: 'a' });
    metrics.counter(DONE).inc({ kind: 'a' }, 2);
    metrics.addSource({ name: 'queue', read: (take) => take(WAITING, 7) });
    metrics.addSource({
      name: 'times',
      read: (take) => take(TOOK, { counts: Uint32Array.of(1, 2, 3), sum: 9.5 }),
    });
    const text = await metrics.text();
    expect(sampleLines(text)).toEqual([
      'test_done_total{kind="a"} 3',
      'test_waiting 7',
      'test_took_seconds_bucket{le="0.1"} 1',
      'test_took_seconds_bucket{le="1"} 3',
      'test_took_seconds_bucket{le="+Inf"} 6',
      'test_took_seconds_sum 9.5',
      'test_took_seconds_count 6',
    ]);
    expect(text).toContain('# HELP test_took_seconds Took.\n# TYPE test_took_seconds histogram');
  });

  it('if a source fails, only its own numbers are missing, and the failure is counted', async () => {
    const metrics = new Metrics({ process: false });
    const read = () => Promise.reject(new Error('the database is down'));
    metrics.addSource({ name: 'outbox', read });
    metrics.addSource({ name: 'queue', read: (take) => take(WAITING, 1) });
    await metrics.text();
    const text = await metrics.text();
    expect(sampleLines(text)).toEqual(['test_waiting 1']);
    expect(text).toContain('dds_metrics_failed_reads_total{source="outbox"} 2');
  });

  it('the process is monitored, unless excluded', async () => {
    expect(await new Metrics().text()).toContain('process_resident_memory_bytes ');
    expect(await new Metrics({ process: false }).text()).not.toContain('process_');
  });

  it('declared metrics can be listed', () => {
    const names = declaredMetrics().map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('test_'))).toEqual([
      'test_done_total',
      'test_took_seconds',
      'test_waiting',
    ]);
  });
});
