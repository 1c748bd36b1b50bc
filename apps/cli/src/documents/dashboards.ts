/** A graph: its title, the unit of its axis (as Grafana names it), and its queries by legend. */
interface Panel {
  title: string;
  unit: 'short' | 's' | 'bytes' | 'reqps' | 'percentunit';
  queries: Record<string, string>;
}

interface Dashboard {
  uid: string;
  title: string;
  panels: Panel[];
}

const panel = (title: string, unit: Panel['unit'], queries: Panel['queries']): Panel => ({
  title,
  unit,
  queries,
});

const p99 = (histogram: string, by: string) =>
  `histogram_quantile(0.99, sum by (le, ${by}) (rate(${histogram}_bucket[5m])))`;

const CUSTOMERS: Dashboard = {
  uid: 'dds-customers',
  title: 'Customers: the API',
  panels: [
    panel('Requests by status', 'reqps', {
      '{{status}}': 'sum by (status) (rate(dds_gateway_requests_total[5m]))',
    }),
    panel('Error budget: our errors (objective 0.1 %)', 'percentunit', {
      '1 hour': 'dds:api_errors:ratio_rate1h',
      '6 hours': 'dds:api_errors:ratio_rate6h',
    }),
    panel('Refusals by code', 'reqps', {
      '{{code}}': 'sum by (code) (rate(dds_gateway_refusals_total[5m]))',
    }),
    panel('Time to the end of an answer, 99th percentile', 's', {
      '{{operation}}': p99('dds_gateway_request_seconds', 'operation'),
    }),
    panel('Requests in flight', 'short', { '{{instance}}': 'dds_gateway_requests_in_flight' }),
    panel('Event loop delay, 99th percentile', 's', {
      '{{instance}}': 'dds_gateway_event_loop_delay_seconds',
    }),
    panel('Age of the change feeds', 's', {
      '{{source}}': 'max by (source) (dds_gateway_feed_age_seconds)',
    }),
    panel('Backend of the rate limits', 'short', {
      '{{mode}}': 'sum by (mode) (dds_gateway_rate_limiter_mode)',
    }),
  ],
};

const DASHBOARD: Dashboard = {
  uid: 'dds-dashboard',
  title: 'The dashboard and the services behind it',
  panels: [
    panel('Ready processes', 'short', { '{{service}}': 'sum by (service) (dds_service_ready)' }),
    panel('Requests by status', 'reqps', {
      '{{status}}': 'sum by (status) (rate(dds_dashboard_requests_total[5m]))',
    }),
    panel('Requests by kind', 'reqps', {
      '{{kind}}': 'sum by (kind) (rate(dds_dashboard_requests_total[5m]))',
    }),
    panel('Errors, as a share of all answers', 'percentunit', {
      errors:
        'sum(rate(dds_dashboard_requests_total{status=~"5.."}[5m])) / sum(rate(dds_dashboard_requests_total{kind!="probe"}[5m]))',
    }),
    panel('Time to the end of an answer, 99th percentile', 's', {
      '{{kind}}': p99('dds_dashboard_request_seconds', 'kind'),
    }),
    panel('Failed calls to other services', 'reqps', {
      '{{service}}':
        'sum by (service) (rate(dds_dashboard_owner_calls_total{outcome="failed"}[5m]))',
    }),
    panel('Log-ins: opened sessions and refusals', 'short', {
      '{{outcome}}': 'sum by (outcome) (increase(dds_dashboard_log_ins_total[1h]))',
    }),
  ],
};

const MONEY: Dashboard = {
  uid: 'dds-money',
  title: 'Money: credits and payments',
  panels: [
    panel('Broken invariants', 'short', {
      '{{service}} {{invariant}}': 'max by (service, invariant) (dds_invariant_violations)',
    }),
    panel('Credits charged but not acknowledged', 'short', {
      '{{instance}}': 'dds_gateway_unsettled_credits',
    }),
    panel('Credits held by leases and holds', 'short', {
      '{{kind}}': 'max by (kind) (dds_entitlement_reserved_credits)',
    }),
    panel('Reservations waiting for a lease', 'percentunit', {
      misses:
        'sum(rate(dds_gateway_lease_reservations_total{result="miss"}[5m])) / sum(rate(dds_gateway_lease_reservations_total[5m]))',
    }),
    panel('Unbilled credits of the last 24 hours, and debt', 'short', {
      unbilled: 'max(dds_entitlement_unbilled_credits)',
      debt: 'max(dds_entitlement_debt_credits)',
    }),
    panel('Set aside', 'short', {
      'billing: {{kind}}': 'max by (kind) (dds_billing_set_aside)',
      '{{kind}}': 'max by (kind) (dds_entitlement_set_aside)',
    }),
    panel('Callbacks of processors', 'short', {
      '{{outcome}}': 'sum by (outcome) (increase(dds_billing_callbacks_total[1h]))',
    }),
    panel('Oldest fetch due from a processor', 's', {
      '{{processor}}': 'max by (processor) (dds_billing_sync_late_seconds)',
    }),
    panel('Durable work', 'short', {
      '{{queue}} {{state}}': 'max by (queue, state) (dds_work_items)',
    }),
    panel('E-mails not sent', 'short', { '{{state}}': 'sum by (state) (dds_mail_unsent)' }),
  ],
};

const EVENTS: Dashboard = {
  uid: 'dds-events',
  title: 'Events and databases',
  panels: [
    panel('Oldest event not sent', 's', {
      '{{producer}}': 'max by (producer) (dds_outbox_oldest_unsent_seconds)',
    }),
    panel('Events sent', 'reqps', {
      '{{producer}} {{type}}': 'sum by (producer, type) (rate(dds_events_sent_total[5m]))',
    }),
    panel('Consumer lag, in events', 'short', {
      '{{consumer}} of {{producer}}': 'max by (consumer, producer) (dds_consumer_lag_events)',
    }),
    panel('Failed events', 'short', {
      '{{consumer}} {{state}}': 'sum by (consumer, state) (dds_events_waiting)',
    }),
    panel('Handler time, 99th percentile', 's', {
      '{{consumer}} {{type}}': p99('dds_event_handler_seconds', 'consumer, type'),
    }),
    panel('Statements waiting for a connection', 'short', {
      '{{pool}}': 'sum by (pool) (dds_database_waiting)',
    }),
    panel('Lease journals', 'bytes', {
      size: 'dds_gateway_journal_bytes',
      'disk left': 'dds_gateway_journal_free_bytes',
    }),
    panel('Request log entries not written yet', 'short', {
      '{{instance}}': 'dds_gateway_request_log_waiting',
    }),
  ],
};

const LOOKUPS: Dashboard = {
  uid: 'dds-lookups',
  title: 'Lookups and registries',
  panels: [
    panel('Answers by outcome', 'reqps', {
      '{{outcome}}': 'sum by (outcome) (rate(dds_lookup_answers_total[5m]))',
    }),
    panel('Answers by source', 'reqps', {
      '{{served_from}}': 'sum by (served_from) (rate(dds_lookup_answers_total[5m]))',
    }),
    panel('Upstream queries by outcome', 'reqps', {
      '{{protocol}} {{outcome}}':
        'sum by (protocol, outcome) (rate(dds_lookup_upstream_seconds_count[5m]))',
    }),
    panel('Time of an upstream query, 99th percentile', 's', {
      '{{protocol}} {{role}}': p99('dds_lookup_upstream_seconds', 'protocol, role'),
    }),
    panel('Lookups started, and callers that joined one', 'reqps', {
      '{{result}}': 'sum by (result) (rate(dds_lookup_runs_total[5m]))',
    }),
    panel('Cache', 'bytes', { '{{instance}}': 'dds_lookup_cache_bytes' }),
  ],
};

const DATA: Dashboard = {
  uid: 'dds-data',
  title: 'Corpus, jobs and files',
  panels: [
    panel('Answers sent to the corpus', 'reqps', {
      '{{result}}': 'sum by (result) (rate(dds_lookup_observations_total[5m]))',
    }),
    panel('Answers waiting for the corpus', 'short', {
      '{{instance}}': 'dds_lookup_observations_waiting',
    }),
    panel('Certificate logs: time since they were imported to the end', 's', {
      '{{source}}': 'max by (source) (dds_corpus_log_lag_seconds)',
    }),
    panel('Sources whose newest file failed', 'short', {
      '{{source}}': 'max by (source) (dds_corpus_import_failed)',
    }),
    panel('Oldest due work item of a queue', 's', {
      '{{queue}}': 'max by (queue) (dds_work_late_seconds)',
    }),
    panel('Periodic jobs, late', 's', {
      '{{service}} {{job}}': 'max by (service, job) (dds_job_late_seconds)',
    }),
  ],
};

const DASHBOARDS = [CUSTOMERS, DASHBOARD, MONEY, EVENTS, LOOKUPS, DATA];
const WIDTH = 12;
const HEIGHT = 8;

/** Generates Grafana's dashboards (schema 39, Grafana 10 and newer), as JSON by file name. */
export function grafanaDashboards(): Map<string, string> {
  return new Map(
    DASHBOARDS.map((dashboard) => [
      `${dashboard.uid}.json`,
      `${JSON.stringify(dashboardJson(dashboard), null, 2)}\n`,
    ]),
  );
}

function dashboardJson({ uid, title, panels }: Dashboard): object {
  return {
    uid,
    title,
    tags: ['domain-data-service'],
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [{ name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' }],
    },
    panels: panels.map(panelJson),
  };
}

function panelJson({ title, unit, queries }: Panel, index: number): object {
  return {
    id: index + 1,
    type: 'timeseries',
    title,
    datasource: { type: 'prometheus', uid: '${datasource}' },
    gridPos: {
      x: (index % 2) * WIDTH,
      y: Math.floor(index / 2) * HEIGHT,
      w: WIDTH,
      h: HEIGHT,
    },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: Object.entries(queries).map(([legendFormat, expr], at) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + at),
      expr,
      legendFormat,
    })),
  };
}
