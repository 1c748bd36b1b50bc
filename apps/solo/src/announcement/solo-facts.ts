/** The facts of a running installation for newcomers, scripts and stories: `solo.json`. */
export interface SoloFacts {
  pid: number;
  api_url: string;
  dashboard_url: string;
  /** The address at which Prometheus reads every service at once. */
  metrics_url: string;
  /** Absent if mail is really sent, through `SMTP_URL`. */
  mailbox_url?: string;
  /** The target of lookups: the internet, or the registry simulator. */
  mode: 'online' | 'offline';
  /** Whether money moves: `simulated` moves none, and without a processor nothing is sold. */
  payments: 'simulated' | 'real' | 'none';
  /** Absent in production. */
  demo?: DemoFacts;
  data_folder: string;
  log_file: string;
}

/** The seeded account. Keys and password stay in this file, which only its owner can read. */
export interface DemoFacts {
  email: string;
  password: string;
  /** Answers names under `.test` for 0 credits. */
  test_key: string;
  /** Answers every name and spends the demo account's credits. */
  live_key: string;
}
