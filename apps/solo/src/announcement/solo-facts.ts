/** The data of a running installation in `solo.json`, for newcomers, scripts and stories. */
export interface SoloFacts {
  pid: number;
  api_url: string;
  dashboard_url: string;
  /** The URL where Prometheus reads the metrics of every service at once. */
  metrics_url: string;
  /** The URL of the page with all e-mails; absent if `SMTP_URL` is set and e-mails are sent. */
  mailbox_url?: string;
  /** Where lookups go: to the internet, or to the registry simulator. */
  mode: 'online' | 'offline';
  /** Who handles payments: `simulated` moves no money, and with `none` nothing is sold. */
  payments: 'simulated' | 'real' | 'none';
  /** The demo account; absent in production and with `DEMO_ACCOUNT=none`. */
  demo?: DemoFacts;
  data_folder: string;
  log_file: string;
}

/** The demo account. The files with its keys and password can be read only by their owner. */
export interface DemoFacts {
  email: string;
  password: string;
  /** The test key, which answers names under `.test` for 0 credits. */
  test_key: string;
  /** The live key, which answers every name and spends the demo account's credits. */
  live_key: string;
}
