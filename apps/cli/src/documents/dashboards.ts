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

const p99 = (histogram: string, by: string) =>
  `histogram_quantile(0.99, sum by (le, ${by}) (rate(${histogram}_bucket[5m])))`;

const CUSTOMERS: Dashboard = {
  uid: 'dds-customers',
  title: 'Customers: the API',
  panels: [
    {
      title: 'Requests by status',
      unit: 'reqps',
      queries: { '{{status}}': 'sum by (status) (rate(dds_gateway_requests_total[5m]))' },
    },
    {
      title: 'Error budget: our errors (objective 0.1 %)',
      unit: 'percentunit',
      queries: {
        '1 hour': 'dds:api_errors:ratio_rate1h',
        '6 hours': 'dds:api_errors:ratio_rate6h',
      },
    },
    {
      title: 'Refusals by code',
      unit: 'reqps',
      queries: { '{{code}}': 'sum by (code) (rate(dds_gateway_refusals_total[5m]))' },
    },
    {
      title: 'Time to the end of an answer, 99th percentile',
      unit: 's',
      queries: { '{{operation}}': p99('dds_gateway_request_seconds', 'operation') },
    },
    {
      title: 'Requests in flight',
      unit: 'short',
      queries: { '{{instance}}': 'dds_gateway_requests_in_flight' },
    },
    {
      title: 'Event loop delay, 99th percentile',
      unit: 's',
      queries: { '{{instance}}': 'dds_gateway_event_loop_delay_seconds' },
    },
    {
      title: 'Age of the change feeds',
      unit: 's',
      queries: { '{{source}}': 'max by (source) (dds_gateway_feed_age_seconds)' },
    },
    {
      title: 'Backend of the rate limits',
      unit: 'short',
      queries: { '{{mode}}': 'sum by (mode) (dds_gateway_rate_limiter_mode)' },
    },
  ],
};

const DASHBOARD: Dashboard = {
  uid: 'dds-dashboard',
  title: 'The dashboard and the services behind it',
  panels: [
    {
      title: 'Ready processes',
      unit: 'short',
      queries: { '{{service}}': 'sum by (service) (dds_service_ready)' },
    },
    {
      title: 'Requests by status',
      unit: 'reqps',
      queries: { '{{status}}': 'sum by (status) (rate(dds_dashboard_requests_total[5m]))' },
    },
    {
      title: 'Requests by kind',
      unit: 'reqps',
      queries: { '{{kind}}': 'sum by (kind) (rate(dds_dashboard_requests_total[5m]))' },
    },
    {
      title: 'Errors, as a share of all answers',
      unit: 'percentunit',
      queries: {
        errors:
          'sum(rate(dds_dashboard_requests_total{status=~"5.."}[5m])) / sum(rate(dds_dashboard_requests_total{kind!="probe"}[5m]))',
      },
    },
    {
      title: 'Time to the end of an answer, 99th percentile',
      unit: 's',
      queries: { '{{kind}}': p99('dds_dashboard_request_seconds', 'kind') },
    },
    {
      title: 'Failed calls to other services',
      unit: 'reqps',
      queries: {
        '{{service}}':
          'sum by (service) (rate(dds_dashboard_owner_calls_total{outcome="failed"}[5m]))',
      },
    },
    {
      title: 'Log-ins: opened sessions and refusals',
      unit: 'short',
      queries: { '{{outcome}}': 'sum by (outcome) (increase(dds_dashboard_log_ins_total[1h]))' },
    },
  ],
};

const MONEY: Dashboard = {
  uid: 'dds-money',
  title: 'Money: credits and payments',
  panels: [
    {
      title: 'Broken invariants',
      unit: 'short',
      queries: {
        '{{service}} {{invariant}}': 'max by (service, invariant) (dds_invariant_violations)',
      },
    },
    {
      title: 'Credits charged but not acknowledged',
      unit: 'short',
      queries: { '{{instance}}': 'dds_gateway_unsettled_credits' },
    },
    {
      title: 'Credits held by leases and holds',
      unit: 'short',
      queries: { '{{kind}}': 'max by (kind) (dds_entitlement_reserved_credits)' },
    },
    {
      title: 'Reservations waiting for a lease',
      unit: 'percentunit',
      queries: {
        misses:
          'sum(rate(dds_gateway_lease_reservations_total{result="miss"}[5m])) / sum(rate(dds_gateway_lease_reservations_total[5m]))',
      },
    },
    {
      title: 'Unbilled credits of the last 24 hours, and debt',
      unit: 'short',
      queries: {
        unbilled: 'max(dds_entitlement_unbilled_credits)',
        debt: 'max(dds_entitlement_debt_credits)',
      },
    },
    {
      title: 'Set aside',
      unit: 'short',
      queries: {
        'billing: {{kind}}': 'max by (kind) (dds_billing_set_aside)',
        '{{kind}}': 'max by (kind) (dds_entitlement_set_aside)',
      },
    },
    {
      title: 'Callbacks of processors',
      unit: 'short',
      queries: { '{{outcome}}': 'sum by (outcome) (increase(dds_billing_callbacks_total[1h]))' },
    },
    {
      title: 'Oldest fetch due from a processor',
      unit: 's',
      queries: { '{{processor}}': 'max by (processor) (dds_billing_sync_late_seconds)' },
    },
    {
      title: 'Durable work',
      unit: 'short',
      queries: { '{{queue}} {{state}}': 'max by (queue, state) (dds_work_items)' },
    },
    {
      title: 'E-mails not sent',
      unit: 'short',
      queries: { '{{state}}': 'sum by (state) (dds_mail_unsent)' },
    },
  ],
};

const EVENTS: Dashboard = {
  uid: 'dds-events',
  title: 'Events and databases',
  panels: [
    {
      title: 'Oldest event not sent',
      unit: 's',
      queries: { '{{producer}}': 'max by (producer) (dds_outbox_oldest_unsent_seconds)' },
    },
    {
      title: 'Events sent',
      unit: 'reqps',
      queries: {
        '{{producer}} {{type}}': 'sum by (producer, type) (rate(dds_events_sent_total[5m]))',
      },
    },
    {
      title: 'Consumer lag, in events',
      unit: 'short',
      queries: {
        '{{consumer}} of {{producer}}': 'max by (consumer, producer) (dds_consumer_lag_events)',
      },
    },
    {
      title: 'Failed events',
      unit: 'short',
      queries: { '{{consumer}} {{state}}': 'sum by (consumer, state) (dds_events_waiting)' },
    },
    {
      title: 'Handler time, 99th percentile',
      unit: 's',
      queries: { '{{consumer}} {{type}}': p99('dds_event_handler_seconds', 'consumer, type') },
    },
    {
      title: 'Statements waiting for a connection',
      unit: 'short',
      queries: { '{{pool}}': 'sum by (pool) (dds_database_waiting)' },
    },
    {
      title: 'Lease journals',
      unit: 'bytes',
      queries: { size: 'dds_gateway_journal_bytes', 'disk left': 'dds_gateway_journal_free_bytes' },
    },
    {
      title: 'Request log entries not written yet',
      unit: 'short',
      queries: { '{{instance}}': 'dds_gateway_request_log_waiting' },
    },
  ],
};

const LOOKUPS: Dashboard = {
  uid: 'dds-lookups',
  title: 'Lookups and registries',
  panels: [
    {
      title: 'Answers by outcome',
      unit: 'reqps',
      queries: { '{{outcome}}': 'sum by (outcome) (rate(dds_lookup_answers_total[5m]))' },
    },
    {
      title: 'Answers by source',
      unit: 'reqps',
      queries: { '{{served_from}}': 'sum by (served_from) (rate(dds_lookup_answers_total[5m]))' },
    },
    {
      title: 'Upstream queries by outcome',
      unit: 'reqps',
      queries: {
        '{{protocol}} {{outcome}}':
          'sum by (protocol, outcome) (rate(dds_lookup_upstream_seconds_count[5m]))',
      },
    },
    {
      title: 'Time of an upstream query, 99th percentile',
      unit: 's',
      queries: { '{{protocol}} {{role}}': p99('dds_lookup_upstream_seconds', 'protocol, role') },
    },
    {
      title: 'Lookups started, and callers that joined one',
      unit: 'reqps',
      queries: { '{{result}}': 'sum by (result) (rate(dds_lookup_runs_total[5m]))' },
    },
    {
      title: 'Cache',
      unit: 'bytes',
      queries: { '{{instance}}': 'dds_lookup_cache_bytes' },
    },
  ],
};

const DATA: Dashboard = {
  uid: 'dds-data',
  title: 'Corpus, jobs and files',
  panels: [
    {
      title: 'Answers sent to the corpus',
      unit: 'reqps',
      queries: { '{{result}}': 'sum by (result) (rate(dds_lookup_observations_total[5m]))' },
    },
    {
      title: 'Answers waiting for the corpus',
      unit: 'short',
      queries: { '{{instance}}': 'dds_lookup_observations_waiting' },
    },
    {
      title: 'Certificate logs: time since they were imported to the end',
      unit: 's',
      queries: { '{{source}}': 'max by (source) (dds_corpus_log_lag_seconds)' },
    },
    {
      title: 'Sources whose newest file failed',
      unit: 'short',
      queries: { '{{source}}': 'max by (source) (dds_corpus_import_failed)' },
    },
    {
      title: 'Oldest due job of a queue',
      unit: 's',
      queries: { '{{queue}}': 'max by (queue) (dds_work_late_seconds)' },
    },
    {
      title: 'Periodic jobs, late',
      unit: 's',
      queries: { '{{service}} {{job}}': 'max by (service, job) (dds_job_late_seconds)' },
    },
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
