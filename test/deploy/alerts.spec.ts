import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { dump, load } from 'js-yaml';
import { promtoolAvailability } from './tools/programs.js';

/** Series in promtool's notation, by name and labels: `0+10x120` stands for 0, 10, 20 …, one value per minute. */
type Series = Record<string, string>;

/** The data for testing an alert: series with which it must fire, and series with which it must not. */
interface AlertCase {
  fires: Series;
  silent: Series;
  /** When the rule is evaluated; by default, two hours after the first values. */
  at?: string;
}

interface RuleGroups {
  groups: { name: string; rules: { alert?: string }[] }[];
}

/**
 * Runs `promtool test rules` on both halves of each case. The other alerts are left out, because they would be
 * evaluated for each case as well.
 * @returns promtool's output about the cases that fail, or an empty string if all pass.
 */
function alertFaults(rules: string, cases: Record<string, AlertCase>): string {
  const folder = mkdtempSync(join(tmpdir(), 'alerts-'));
  const { groups } = load(readFileSync(rules, 'utf8')) as RuleGroups;
  try {
    const files = Object.entries(cases).map(([alert, { at = '2h', ...halves }]) => {
      const own = groups.map(({ name, rules: all }) => ({
        name,
        rules: all.filter((rule) => (rule.alert ?? alert) === alert),
      }));
      const [ruleFile, testFile] = ['rules', 'tests'].map((of) =>
        join(folder, `${alert}-${of}.yml`),
      );
      writeFileSync(ruleFile, dump({ groups: own }));
      const tests = (['fires', 'silent'] as const).map((half) => ({
        name: `${alert} ${half}`,
        interval: '1m',
        input_series: Object.entries(halves[half]).map(([series, values]) => ({ series, values })),
        promql_expr_test: [
          {
            expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) > bool 0`,
            eval_time: at,
            exp_samples: half === 'fires' ? [{ labels: '{}', value: 1 }] : [],
          },
        ],
      }));
      writeFileSync(testFile, dump({ rule_files: [ruleFile], evaluation_interval: '5m', tests }));
      return testFile;
    });
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', ...files]);
    return status === 0 ? '' : `${stdout}${stderr}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns a series of equal values, one per minute, for two hours. */
const always = (value: number) => `${value}x120`;
const rising = (perMinute: number) => `0+${perMinute}x120`;

const gauge = (series: string, fires: number, silent: number): AlertCase => ({
  fires: { [series]: always(fires) },
  silent: { [series]: always(silent) },
});

const late = (queue: string) => `dds_work_late_seconds{queue="${queue}"}`;
const refusals = (code: string) => `dds_gateway_refusals_total{code="${code}"}`;
const REQUESTS =
  'dds_gateway_requests_total{operation="whois.live",class="live",version="2",status="200"}';
const callbacks = (outcome: string) => `dds_billing_callbacks_total{outcome="${outcome}"}`;
const leases = (result: string) => `dds_gateway_lease_reservations_total{result="${result}"}`;
const observations = (result: string) => `dds_lookup_observations_total{result="${result}"}`;
const upstream = (outcome: string) =>
  `dds_lookup_upstream_seconds_count{protocol="rdap",role="registry",outcome="${outcome}"}`;
const slow = (le: string) =>
  `dds_gateway_request_seconds_bucket{operation="whois.live",le="${le}"}`;
const SLOW_COUNT = 'dds_gateway_request_seconds_count{operation="whois.live"}';
const DEBT = 'dds_entitlement_debt_credits';
const LAG = 'dds_consumer_lag_events{consumer="a",producer="b"}';
const HANDLED = 'dds_events_handled_total{consumer="a",type="x",outcome="applied"}';
const requests = (status: string) => `dds_dashboard_requests_total{kind="page",status="${status}"}`;
const calls = (outcome: string) =>
  `dds_dashboard_owner_calls_total{service="billing",outcome="${outcome}"}`;
const logIns = (outcome: string) => `dds_dashboard_log_ins_total{outcome="${outcome}"}`;
const READY = 'dds_service_ready{service="account",job="dds",instance="1"}';
const UP = 'up{job="dds",instance="1"}';
const FOREIGN_UP = 'up{job="of somebody else",instance="1"}';
const volume = (what: string) =>
  `kubelet_volume_stats_${what}_bytes{persistentvolumeclaim="data-0"}`;

const ALERT_CASES: Record<string, AlertCase> = {
  ServiceDown: { fires: { [READY]: '1x60' }, silent: { [READY]: always(1) } },
  ServiceNotReady: {
    fires: { [READY]: always(0) },
    silent: { [READY]: always(0), [READY.replace('"1"', '"2"')]: always(1) },
  },
  ProcessDown: {
    fires: { [READY]: '1x60', [UP]: always(0) },
    silent: { [READY]: always(1), [UP]: always(1), [FOREIGN_UP]: always(0) },
  },
  DashboardErrors: {
    fires: { [requests('503')]: rising(6), [requests('200')]: rising(94) },
    silent: { [requests('503')]: rising(5), [requests('200')]: rising(95) },
  },
  DashboardCallsFail: {
    fires: { [calls('failed')]: rising(11), [calls('answered')]: rising(89) },
    silent: {
      [calls('failed')]: rising(10),
      [calls('refused')]: rising(20),
      [calls('answered')]: rising(70),
    },
  },
  LogInsRefused: {
    fires: { [logIns('wrong_credentials')]: rising(51), [logIns('begun')]: rising(10) },
    silent: { [logIns('wrong_credentials')]: rising(50), [logIns('begun')]: rising(10) },
  },
  InvariantBroken: gauge('dds_invariant_violations{service="entitlement",invariant="I3"}', 1, 0),
  InvariantsNotChecked: gauge('dds_invariants_age_seconds{service="billing"}', 1_201, 1_200),
  CreditsUnsettled: {
    fires: {
      dds_gateway_unsettled_credits: always(5),
      dds_gateway_settlement_age_seconds: always(31),
    },
    silent: {
      dds_gateway_unsettled_credits: always(5),
      dds_gateway_settlement_age_seconds: always(30),
    },
  },
  CreditsSetAside: gauge('dds_entitlement_set_aside{kind="lease"}', 1, 0),
  CreditsUnbilled: gauge('dds_entitlement_unbilled_credits', 1_001, 1_000),
  DebtGrows: {
    fires: { [DEBT]: '0x1500 100001x60' },
    silent: { [DEBT]: '0x1500 100000x60' },
    at: '25h30m',
  },
  CallbacksRefused: {
    fires: { [callbacks('signature')]: rising(3), [callbacks('accepted')]: rising(10) },
    silent: { [callbacks('signature')]: rising(2), [callbacks('accepted')]: rising(10) },
  },
  PaymentsLate: gauge('dds_billing_sync_late_seconds{processor="stripe"}', 301, 300),
  MoneySetAside: gauge('dds_billing_set_aside{kind="orders"}', 1, 0),
  DeadWork: gauge('dds_work_items{queue="print-invoices",state="dead"}', 1, 0),
  LogBehind: gauge('dds_corpus_log_lag_seconds{source="log"}', 3_601, 3_600),
  JobLate: gauge('dds_job_late_seconds{service="worker",job="plan-files"}', 301, 300),
  ImportFails: gauge('dds_corpus_import_failed{source="zones"}', 1, 0),
  ObservationsDropped: {
    fires: { [observations('dropped')]: rising(1) },
    silent: { [observations('dropped')]: always(7), [observations('handed_over')]: rising(9) },
  },
  WorkLate: {
    fires: { [late('print-invoices')]: always(901) },
    silent: { [late('print-invoices')]: always(900), [late('chunks')]: always(43_200) },
  },
  LeaseMisses: {
    fires: { [leases('miss')]: rising(6), [leases('hit')]: rising(94) },
    silent: { [leases('miss')]: rising(5), [leases('hit')]: rising(95) },
  },
  JournalNotWritable: gauge('dds_gateway_journal_writable', 0, 1),
  JournalDiskFull: gauge('dds_gateway_journal_free_bytes', 268_435_455, 268_435_456),
  OutboxStandsStill: gauge('dds_outbox_oldest_unsent_seconds{producer="account"}', 61, 60),
  DeadEvents: gauge('dds_events_waiting{consumer="billing",type="x",state="dead"}', 1, 0),
  RetryingEvents: gauge('dds_events_waiting{consumer="billing",type="x",state="retrying"}', 1, 0),
  ConsumerBehind: gauge(LAG, 10_001, 10_000),
  ConsumerStandsStill: {
    fires: { [LAG]: always(1) },
    silent: { [LAG]: always(1), [HANDLED]: rising(1) },
  },
  FeedSilent: gauge('dds_gateway_feed_age_seconds{source="account"}', 16, 15),
  EventLoopLate: gauge('dds_gateway_event_loop_delay_seconds', 0.11, 0.1),
  CountingAlone: gauge('dds_gateway_rate_limiter_mode{mode="alone"}', 1, 0),
  RequestLogDropped: {
    fires: { dds_gateway_request_log_dropped_total: rising(1) },
    silent: { dds_gateway_request_log_dropped_total: always(7) },
  },
  ErrorBudgetBurnsFast: {
    fires: { [refusals('internal_error')]: rising(15), [REQUESTS]: rising(1_000) },
    // A registry's failure does not count as our own error.
    silent: {
      [refusals('internal_error')]: rising(14),
      [refusals('upstream_unreachable')]: rising(500),
      [REQUESTS]: rising(1_000),
    },
  },
  ErrorBudgetBurnsSlowly: {
    fires: { [refusals('service_unavailable')]: rising(7), [REQUESTS]: rising(1_000) },
    silent: { [refusals('service_unavailable')]: rising(6), [REQUESTS]: rising(1_000) },
  },
  AnswersSlow: {
    fires: { [slow('5')]: rising(69), [SLOW_COUNT]: rising(100) },
    silent: { [slow('5')]: rising(71), [SLOW_COUNT]: rising(100) },
  },
  UpstreamsThrottle: {
    fires: { [upstream('throttled')]: rising(21), [upstream('delivered')]: rising(79) },
    silent: { [upstream('throttled')]: rising(19), [upstream('delivered')]: rising(81) },
  },
  UpstreamsUnreachable: {
    fires: { [upstream('unreachable')]: rising(51), [upstream('delivered')]: rising(49) },
    silent: { [upstream('unreachable')]: rising(49), [upstream('delivered')]: rising(51) },
  },
  MailNotSent: gauge('dds_mail_oldest_seconds', 901, 900),
  MetricsUnreadable: {
    fires: { 'dds_metrics_failed_reads_total{source="mail"}': rising(1) },
    silent: { 'dds_metrics_failed_reads_total{source="mail"}': rising(0.3) },
  },
  DatabasePoolExhausted: gauge('dds_database_waiting{pool="billing"}', 21, 20),
  DatabaseDiskFull: {
    fires: { [volume('available')]: always(14), [volume('capacity')]: always(100) },
    silent: { [volume('available')]: always(15), [volume('capacity')]: always(100) },
  },
  // promtool's clock starts in 1970, and each test covers two hours.
  CertificateExpires: gauge(
    'dds_internal_certificate_expires_at_seconds{service="account"}',
    14_399,
    14_400 + 7_200,
  ),
  CertificateNotRenewed: gauge(
    'certmanager_certificate_renewal_timestamp_seconds{name="shop-dds-account-tls"}',
    0,
    3_600,
  ),
};

const RULES = 'deploy/prometheus/alerts.yml';
const PAGES = 'docs/operations/alerts';

interface Rules {
  groups: { rules: { alert?: string; annotations?: Record<string, string> }[] }[];
}

const { groups } = load(readFileSync(RULES, 'utf8')) as Rules;
const alerts = groups.flatMap(({ rules }) => rules).filter(({ alert }) => alert !== undefined);
const names = alerts.map(({ alert }) => alert as string);

describe('alerts', () => {
  it('each has a test case, and a page that says what to check and what to do', () => {
    for (const { alert, annotations } of alerts) {
      const page = `${PAGES}/${alert}.md`;
      expect([alert, annotations?.runbook]).toEqual([alert, page]);
      expect([page, existsSync(page)]).toEqual([page, true]);
      expect(readFileSync(page, 'utf8')).toMatch(
        new RegExp(`^# ${alert}\\n[^]+\\n## Look first\\n[^]+\\n## Do\\n`),
      );
    }
    const pages = readdirSync(PAGES).filter((page) => page !== 'README.md');
    expect(pages.sort()).toEqual(names.map((name) => `${name}.md`).sort());
    expect(Object.keys(ALERT_CASES).sort()).toEqual([...names].sort());
  });

  (promtoolAvailability() === undefined ? it : it.skip)(
    'each fires on one side of its threshold, and is silent on the other',
    () => {
      expect(alertFaults(RULES, ALERT_CASES)).toBe('');
    },
  );
});
